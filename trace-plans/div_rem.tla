program "div_rem"
memory 10

fn div_rem(v0..v7) -> 8 entry {
  v8..v15 = hint_field_to_bytes v0
  v16 = const 256
  v17 = mul v9, v16
  v18 = const 65536
  v19 = mul v10, v18
  v20 = const 16777216
  v21 = mul v11, v20
  v22 = add v8, v17
  v23 = add v22, v19
  v24 = add v23, v21
  assert_eq v0, v24, "numbers are words below 2^32"
  u8_range_check v8, v9
  u8_range_check v10, v11
  v25..v32 = hint_field_to_bytes v1
  v33 = mul v26, v16
  v34 = mul v27, v18
  v35 = mul v28, v20
  v36 = add v25, v33
  v37 = add v36, v34
  v38 = add v37, v35
  assert_eq v1, v38, "numbers are words below 2^32"
  u8_range_check v25, v26
  u8_range_check v27, v28
  v39..v46 = hint_field_to_bytes v2
  v47 = mul v40, v16
  v48 = mul v41, v18
  v49 = mul v42, v20
  v50 = add v39, v47
  v51 = add v50, v48
  v52 = add v51, v49
  assert_eq v2, v52, "numbers are words below 2^32"
  u8_range_check v39, v40
  u8_range_check v41, v42
  v53..v60 = hint_field_to_bytes v3
  v61 = mul v54, v16
  v62 = mul v55, v18
  v63 = mul v56, v20
  v64 = add v53, v61
  v65 = add v64, v62
  v66 = add v65, v63
  assert_eq v3, v66, "numbers are words below 2^32"
  u8_range_check v53, v54
  u8_range_check v55, v56
  v67..v74 = hint_field_to_bytes v4
  v75 = mul v68, v16
  v76 = mul v69, v18
  v77 = mul v70, v20
  v78 = add v67, v75
  v79 = add v78, v76
  v80 = add v79, v77
  assert_eq v4, v80, "numbers are words below 2^32"
  u8_range_check v67, v68
  u8_range_check v69, v70
  v81..v88 = hint_field_to_bytes v5
  v89 = mul v82, v16
  v90 = mul v83, v18
  v91 = mul v84, v20
  v92 = add v81, v89
  v93 = add v92, v90
  v94 = add v93, v91
  assert_eq v5, v94, "numbers are words below 2^32"
  u8_range_check v81, v82
  u8_range_check v83, v84
  v95..v102 = hint_field_to_bytes v6
  v103 = mul v96, v16
  v104 = mul v97, v18
  v105 = mul v98, v20
  v106 = add v95, v103
  v107 = add v106, v104
  v108 = add v107, v105
  assert_eq v6, v108, "numbers are words below 2^32"
  u8_range_check v95, v96
  u8_range_check v97, v98
  v109..v116 = hint_field_to_bytes v7
  v117 = mul v110, v16
  v118 = mul v111, v18
  v119 = mul v112, v20
  v120 = add v109, v117
  v121 = add v120, v118
  v122 = add v121, v119
  assert_eq v7, v122, "numbers are words below 2^32"
  u8_range_check v109, v110
  u8_range_check v111, v112
  v123 = add v67, v68
  v124 = add v123, v69
  v125 = add v124, v70
  v126 = add v125, v81
  v127 = add v126, v82
  v128 = add v127, v83
  v129 = add v128, v84
  v130 = add v129, v95
  v131 = add v130, v96
  v132 = add v131, v97
  v133 = add v132, v98
  v134 = add v133, v109
  v135 = add v134, v110
  v136 = add v135, v111
  v137 = add v136, v112
  match v137 {
    case 0 {
      v138 = const 0
      return v138, v138, v138, v138, v0..v3
    }
    default {
      v138..v169 = call_unconstrained div_rem_advice(v8..v11, v25..v28, v39..v42, v53..v56, v67..v70, v81..v84, v95..v98, v109..v112)
      u8_range_check v138, v139
      u8_range_check v140, v141
      u8_range_check v142, v143
      u8_range_check v144, v145
      u8_range_check v146, v147
      u8_range_check v148, v149
      u8_range_check v150, v151
      u8_range_check v152, v153
      v170 = const 0
      v171, v172 = u8_sub v154, v67
      v173, v174 = u8_sub v171, v170
      v175 = add v172, v174
      v176, v177 = u8_sub v155, v68
      v178, v179 = u8_sub v176, v175
      v180 = add v177, v179
      v181, v182 = u8_sub v156, v69
      v183, v184 = u8_sub v181, v180
      v185 = add v182, v184
      v186, v187 = u8_sub v157, v70
      v188, v189 = u8_sub v186, v185
      v190 = add v187, v189
      v191, v192 = u8_sub v158, v81
      v193, v194 = u8_sub v191, v190
      v195 = add v192, v194
      v196, v197 = u8_sub v159, v82
      v198, v199 = u8_sub v196, v195
      v200 = add v197, v199
      v201, v202 = u8_sub v160, v83
      v203, v204 = u8_sub v201, v200
      v205 = add v202, v204
      v206, v207 = u8_sub v161, v84
      v208, v209 = u8_sub v206, v205
      v210 = add v207, v209
      v211, v212 = u8_sub v162, v95
      v213, v214 = u8_sub v211, v210
      v215 = add v212, v214
      v216, v217 = u8_sub v163, v96
      v218, v219 = u8_sub v216, v215
      v220 = add v217, v219
      v221, v222 = u8_sub v164, v97
      v223, v224 = u8_sub v221, v220
      v225 = add v222, v224
      v226, v227 = u8_sub v165, v98
      v228, v229 = u8_sub v226, v225
      v230 = add v227, v229
      v231, v232 = u8_sub v166, v109
      v233, v234 = u8_sub v231, v230
      v235 = add v232, v234
      v236, v237 = u8_sub v167, v110
      v238, v239 = u8_sub v236, v235
      v240 = add v237, v239
      v241, v242 = u8_sub v168, v111
      v243, v244 = u8_sub v241, v240
      v245 = add v242, v244
      v246, v247 = u8_sub v169, v112
      v248, v249 = u8_sub v246, v245
      v250 = add v247, v249
      v251 = const 1
      assert_eq v250, v251, "the remainder is less than the divisor"
      v252 = mul v139, v16
      v253 = add v138, v252
      v254 = mul v141, v16
      v255 = add v140, v254
      v256 = mul v143, v16
      v257 = add v142, v256
      v258 = mul v145, v16
      v259 = add v144, v258
      v260 = mul v147, v16
      v261 = add v146, v260
      v262 = mul v149, v16
      v263 = add v148, v262
      v264 = mul v151, v16
      v265 = add v150, v264
      v266 = mul v153, v16
      v267 = add v152, v266
      v268 = mul v68, v16
      v269 = add v67, v268
      v270 = mul v70, v16
      v271 = add v69, v270
      v272 = mul v82, v16
      v273 = add v81, v272
      v274 = mul v84, v16
      v275 = add v83, v274
      v276 = mul v96, v16
      v277 = add v95, v276
      v278 = mul v98, v16
      v279 = add v97, v278
      v280 = mul v110, v16
      v281 = add v109, v280
      v282 = mul v112, v16
      v283 = add v111, v282
      v284 = mul v155, v16
      v285 = add v154, v284
      v286 = mul v157, v16
      v287 = add v156, v286
      v288 = mul v159, v16
      v289 = add v158, v288
      v290 = mul v161, v16
      v291 = add v160, v290
      v292 = mul v163, v16
      v293 = add v162, v292
      v294 = mul v165, v16
      v295 = add v164, v294
      v296 = mul v167, v16
      v297 = add v166, v296
      v298 = mul v169, v16
      v299 = add v168, v298
      v300 = mul v9, v16
      v301 = add v8, v300
      v302 = mul v11, v16
      v303 = add v10, v302
      v304 = mul v26, v16
      v305 = add v25, v304
      v306 = mul v28, v16
      v307 = add v27, v306
      v308 = mul v40, v16
      v309 = add v39, v308
      v310 = mul v42, v16
      v311 = add v41, v310
      v312 = mul v54, v16
      v313 = add v53, v312
      v314 = mul v56, v16
      v315 = add v55, v314
      v316 = mul v253, v269
      v317 = add v316, v285
      v318 = add v317, v170
      v319 = sub v318, v301
      v320 = const 18446462594437939201
      v321 = mul v319, v320
      v322..v329 = hint_field_to_bytes v321
      v330 = mul v323, v16
      v331 = mul v324, v18
      v332 = add v322, v330
      v333 = add v332, v331
      assert_eq v321, v333, "a column is 16 bits and a small carry"
      u8_range_check v322, v323
      u8_range_check v324, v170
      v334 = mul v323, v16
      v335 = mul v324, v18
      v336 = add v322, v334
      v337 = add v336, v335
      v338 = mul v253, v271
      v339 = mul v255, v269
      v340 = add v338, v339
      v341 = add v340, v287
      v342 = add v341, v337
      v343 = sub v342, v303
      v344 = mul v343, v320
      v345..v352 = hint_field_to_bytes v344
      v353 = mul v346, v16
      v354 = mul v347, v18
      v355 = add v345, v353
      v356 = add v355, v354
      assert_eq v344, v356, "a column is 16 bits and a small carry"
      u8_range_check v345, v346
      u8_range_check v347, v170
      v357 = mul v346, v16
      v358 = mul v347, v18
      v359 = add v345, v357
      v360 = add v359, v358
      v361 = mul v253, v273
      v362 = mul v255, v271
      v363 = mul v257, v269
      v364 = add v361, v362
      v365 = add v364, v363
      v366 = add v365, v289
      v367 = add v366, v360
      v368 = sub v367, v305
      v369 = mul v368, v320
      v370..v377 = hint_field_to_bytes v369
      v378 = mul v371, v16
      v379 = mul v372, v18
      v380 = add v370, v378
      v381 = add v380, v379
      assert_eq v369, v381, "a column is 16 bits and a small carry"
      u8_range_check v370, v371
      u8_range_check v372, v170
      v382 = mul v371, v16
      v383 = mul v372, v18
      v384 = add v370, v382
      v385 = add v384, v383
      v386 = mul v253, v275
      v387 = mul v255, v273
      v388 = mul v257, v271
      v389 = mul v259, v269
      v390 = add v386, v387
      v391 = add v390, v388
      v392 = add v391, v389
      v393 = add v392, v291
      v394 = add v393, v385
      v395 = sub v394, v307
      v396 = mul v395, v320
      v397..v404 = hint_field_to_bytes v396
      v405 = mul v398, v16
      v406 = mul v399, v18
      v407 = add v397, v405
      v408 = add v407, v406
      assert_eq v396, v408, "a column is 16 bits and a small carry"
      u8_range_check v397, v398
      u8_range_check v399, v170
      v409 = mul v398, v16
      v410 = mul v399, v18
      v411 = add v397, v409
      v412 = add v411, v410
      v413 = mul v253, v277
      v414 = mul v255, v275
      v415 = mul v257, v273
      v416 = mul v259, v271
      v417 = mul v261, v269
      v418 = add v413, v414
      v419 = add v418, v415
      v420 = add v419, v416
      v421 = add v420, v417
      v422 = add v421, v293
      v423 = add v422, v412
      v424 = sub v423, v309
      v425 = mul v424, v320
      v426..v433 = hint_field_to_bytes v425
      v434 = mul v427, v16
      v435 = mul v428, v18
      v436 = add v426, v434
      v437 = add v436, v435
      assert_eq v425, v437, "a column is 16 bits and a small carry"
      u8_range_check v426, v427
      u8_range_check v428, v170
      v438 = mul v427, v16
      v439 = mul v428, v18
      v440 = add v426, v438
      v441 = add v440, v439
      v442 = mul v253, v279
      v443 = mul v255, v277
      v444 = mul v257, v275
      v445 = mul v259, v273
      v446 = mul v261, v271
      v447 = mul v263, v269
      v448 = add v442, v443
      v449 = add v448, v444
      v450 = add v449, v445
      v451 = add v450, v446
      v452 = add v451, v447
      v453 = add v452, v295
      v454 = add v453, v441
      v455 = sub v454, v311
      v456 = mul v455, v320
      v457..v464 = hint_field_to_bytes v456
      v465 = mul v458, v16
      v466 = mul v459, v18
      v467 = add v457, v465
      v468 = add v467, v466
      assert_eq v456, v468, "a column is 16 bits and a small carry"
      u8_range_check v457, v458
      u8_range_check v459, v170
      v469 = mul v458, v16
      v470 = mul v459, v18
      v471 = add v457, v469
      v472 = add v471, v470
      v473 = mul v253, v281
      v474 = mul v255, v279
      v475 = mul v257, v277
      v476 = mul v259, v275
      v477 = mul v261, v273
      v478 = mul v263, v271
      v479 = mul v265, v269
      v480 = add v473, v474
      v481 = add v480, v475
      v482 = add v481, v476
      v483 = add v482, v477
      v484 = add v483, v478
      v485 = add v484, v479
      v486 = add v485, v297
      v487 = add v486, v472
      v488 = sub v487, v313
      v489 = mul v488, v320
      v490..v497 = hint_field_to_bytes v489
      v498 = mul v491, v16
      v499 = mul v492, v18
      v500 = add v490, v498
      v501 = add v500, v499
      assert_eq v489, v501, "a column is 16 bits and a small carry"
      u8_range_check v490, v491
      u8_range_check v492, v170
      v502 = mul v491, v16
      v503 = mul v492, v18
      v504 = add v490, v502
      v505 = add v504, v503
      v506 = mul v253, v283
      v507 = mul v255, v281
      v508 = mul v257, v279
      v509 = mul v259, v277
      v510 = mul v261, v275
      v511 = mul v263, v273
      v512 = mul v265, v271
      v513 = mul v267, v269
      v514 = add v506, v507
      v515 = add v514, v508
      v516 = add v515, v509
      v517 = add v516, v510
      v518 = add v517, v511
      v519 = add v518, v512
      v520 = add v519, v513
      v521 = add v520, v299
      v522 = add v521, v505
      v523 = sub v522, v315
      v524 = mul v523, v320
      v525 = mul v255, v283
      v526 = add v281, v283
      v527 = mul v257, v526
      v528 = add v279, v281
      v529 = add v528, v283
      v530 = mul v259, v529
      v531 = add v277, v279
      v532 = add v531, v281
      v533 = add v532, v283
      v534 = mul v261, v533
      v535 = add v275, v277
      v536 = add v535, v279
      v537 = add v536, v281
      v538 = add v537, v283
      v539 = mul v263, v538
      v540 = add v273, v275
      v541 = add v540, v277
      v542 = add v541, v279
      v543 = add v542, v281
      v544 = add v543, v283
      v545 = mul v265, v544
      v546 = add v271, v273
      v547 = add v546, v275
      v548 = add v547, v277
      v549 = add v548, v279
      v550 = add v549, v281
      v551 = add v550, v283
      v552 = mul v267, v551
      v553 = add v525, v527
      v554 = add v553, v530
      v555 = add v554, v534
      v556 = add v555, v539
      v557 = add v556, v545
      v558 = add v557, v552
      assert_eq [v524, v558], [v170, v170], "quotient and divisor fit the dividend"
      v559 = mul v139, v16
      v560 = mul v140, v18
      v561 = mul v141, v20
      v562 = add v138, v559
      v563 = add v562, v560
      v564 = add v563, v561
      v565 = mul v143, v16
      v566 = mul v144, v18
      v567 = mul v145, v20
      v568 = add v142, v565
      v569 = add v568, v566
      v570 = add v569, v567
      v571 = mul v147, v16
      v572 = mul v148, v18
      v573 = mul v149, v20
      v574 = add v146, v571
      v575 = add v574, v572
      v576 = add v575, v573
      v577 = mul v151, v16
      v578 = mul v152, v18
      v579 = mul v153, v20
      v580 = add v150, v577
      v581 = add v580, v578
      v582 = add v581, v579
      v583 = mul v155, v16
      v584 = mul v156, v18
      v585 = mul v157, v20
      v586 = add v154, v583
      v587 = add v586, v584
      v588 = add v587, v585
      v589 = mul v159, v16
      v590 = mul v160, v18
      v591 = mul v161, v20
      v592 = add v158, v589
      v593 = add v592, v590
      v594 = add v593, v591
      v595 = mul v163, v16
      v596 = mul v164, v18
      v597 = mul v165, v20
      v598 = add v162, v595
      v599 = add v598, v596
      v600 = add v599, v597
      v601 = mul v167, v16
      v602 = mul v168, v18
      v603 = mul v169, v20
      v604 = add v166, v601
      v605 = add v604, v602
      v606 = add v605, v603
      return v564, v570, v576, v582, v588, v594, v600, v606
    }
  }
}

fn biguint_bytes(v0, v1) -> 16 unconstrained {
  match v1 {
    case 0 {
      v2 = const 0
      return v2, v2, v2, v2, v2, v2, v2, v2, v2, v2, v2, v2, v2, v2, v2, v2
    }
    default {
      v2..v11 = load v0
      match v2 {
        case 1 {
          v12 = const 0
          return v12, v12, v12, v12, v12, v12, v12, v12, v12, v12, v12, v12, v12, v12, v12, v12
        }
        case 0 {
          v12 = const 1
          v13 = sub v1, v12
          v14..v29 = call_unconstrained biguint_bytes(v11, v13)
          return v3..v10, v14..v21
        }
      }
    }
  }
}

fn div_rem_advice(v0..v31) -> 32 unconstrained {
  v32 = const 0
  v33 = const 1
  v34 = store v33, v32, v32, v32, v32, v32, v32, v32, v32, v32
  v35 = store v32, v8..v15, v34
  v36 = store v32, v0..v7, v35
  v37 = store v33, v32, v32, v32, v32, v32, v32, v32, v32, v32
  v38 = store v32, v24..v31, v37
  v39 = store v32, v16..v23, v38
  v40, v41 = hint_biguint_div_rem v36, v39
  v42 = const 2
  v43..v58 = call_unconstrained biguint_bytes(v40, v42)
  v59..v74 = call_unconstrained biguint_bytes(v41, v42)
  return v43..v74
}

end
