program "blake3"
circuit blake3, blake3_spine, blake3_last_block, tail_1, tail_2, tail_3, tail_4, tail_5, tail_6
circuit blake3_compress
circuit blake3_block
circuit blake3_subtree

fn blake3(v0) -> 32 entry {
  v1 = const 0
  v2, v3 = io_get_info v1, []
  assert_eq v2, v1, "the input is the first thing on channel 0"
  assert_eq v3, v0, "the input is as long as claimed"
  match v0 {
    case 0 {
      v4 = const 11
      v5 = const 64
      v6 = const 103
      v7 = const 230
      v8 = const 9
      v9 = const 106
      v10 = const 133
      v11 = const 174
      v12 = const 187
      v13 = const 114
      v14 = const 243
      v15 = const 110
      v16 = const 60
      v17 = const 58
      v18 = const 245
      v19 = const 79
      v20 = const 165
      v21 = const 127
      v22 = const 82
      v23 = const 14
      v24 = const 81
      v25 = const 140
      v26 = const 104
      v27 = const 5
      v28 = const 155
      v29 = const 171
      v30 = const 217
      v31 = const 131
      v32 = const 31
      v33 = const 25
      v34 = const 205
      v35 = const 224
      v36 = const 91
      v37..v68 = call blake3_compress(v1, v6..v11, v6, v12..v36, v6..v11, v6, v12..v20, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v4, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1)
      return v37..v68
    }
    default {
      v4 = const 1
      v5 = sub v0, v4
      v6..v13 = hint_field_to_bytes v5
      v14 = const 256
      v15 = mul v7, v14
      v16 = const 65536
      v17 = mul v8, v16
      v18 = const 16777216
      v19 = mul v9, v18
      v20 = add v6, v15
      v21 = add v20, v17
      v22 = add v21, v19
      assert_eq v5, v22, "the length is at most 2^32"
      v23..v30 = u8_bit_decomposition v6
      v31..v38 = u8_bit_decomposition v7
      v39..v46 = u8_bit_decomposition v8
      v47..v54 = u8_bit_decomposition v9
      v55 = const 2
      v56 = mul v30, v55
      v57 = const 4
      v58 = mul v31, v57
      v59 = const 8
      v60 = mul v32, v59
      v61 = add v29, v56
      v62 = add v61, v58
      v63 = add v62, v60
      v64 = mul v34, v55
      v65 = mul v35, v57
      v66 = mul v36, v59
      v67 = const 16
      v68 = mul v37, v67
      v69 = const 32
      v70 = mul v38, v69
      v71 = const 64
      v72 = mul v39, v71
      v73 = const 128
      v74 = mul v40, v73
      v75 = add v33, v64
      v76 = add v75, v65
      v77 = add v76, v66
      v78 = add v77, v68
      v79 = add v78, v70
      v80 = add v79, v72
      v81 = add v80, v74
      v82 = mul v42, v55
      v83 = mul v43, v57
      v84 = mul v44, v59
      v85 = mul v45, v67
      v86 = mul v46, v69
      v87 = mul v47, v71
      v88 = mul v48, v73
      v89 = add v41, v82
      v90 = add v89, v83
      v91 = add v90, v84
      v92 = add v91, v85
      v93 = add v92, v86
      v94 = add v93, v87
      v95 = add v94, v88
      v96 = mul v50, v55
      v97 = mul v51, v57
      v98 = mul v52, v59
      v99 = mul v53, v67
      v100 = mul v54, v69
      v101 = add v49, v96
      v102 = add v101, v97
      v103 = add v102, v98
      v104 = add v103, v99
      v105 = add v104, v100
      v106 = mul v34, v55
      v107 = mul v35, v57
      v108 = mul v36, v59
      v109 = mul v37, v67
      v110 = mul v38, v69
      v111 = mul v39, v71
      v112 = mul v40, v73
      v113 = mul v41, v14
      v114 = const 512
      v115 = mul v42, v114
      v116 = const 1024
      v117 = mul v43, v116
      v118 = const 2048
      v119 = mul v44, v118
      v120 = const 4096
      v121 = mul v45, v120
      v122 = const 8192
      v123 = mul v46, v122
      v124 = const 16384
      v125 = mul v47, v124
      v126 = const 32768
      v127 = mul v48, v126
      v128 = mul v49, v16
      v129 = const 131072
      v130 = mul v50, v129
      v131 = const 262144
      v132 = mul v51, v131
      v133 = const 524288
      v134 = mul v52, v133
      v135 = const 1048576
      v136 = mul v53, v135
      v137 = const 2097152
      v138 = mul v54, v137
      v139 = add v33, v106
      v140 = add v139, v107
      v141 = add v140, v108
      v142 = add v141, v109
      v143 = add v142, v110
      v144 = add v143, v111
      v145 = add v144, v112
      v146 = add v145, v113
      v147 = add v146, v115
      v148 = add v147, v117
      v149 = add v148, v119
      v150 = add v149, v121
      v151 = add v150, v123
      v152 = add v151, v125
      v153 = add v152, v127
      v154 = add v153, v128
      v155 = add v154, v130
      v156 = add v155, v132
      v157 = add v156, v134
      v158 = add v157, v136
      v159 = add v158, v138
      match v159 {
        case 0 {
          v160 = const 10
          v161..v192 = call blake3_last_block(v81, v95, v105, v63, v23..v28, v160)
          return v161..v192
        }
        default {
          v160..v191 = call blake3_last_block(v81, v95, v105, v63, v23..v28, v55)
          v192..v223 = call blake3_spine(v160..v191, v81, v95, v105, v4)
          return v192..v223
        }
      }
    }
  }
}

fn blake3_compress(v0..v128) -> 32 {
  v129..v133 = hint_u32_add3 [v1..v4], [v17..v20], [v65..v68]
  v134 = u8_xor v49, v129
  v135 = u8_xor v50, v130
  v136 = u8_xor v51, v131
  v137 = u8_xor v52, v132
  v138..v142 = hint_u32_add [v33..v36], [v136, v137, v134, v135]
  u8_range_check v133, v142
  v143, v144 = u8_xor_split4 v17, v138
  v145, v146 = u8_xor_split4 v18, v139
  v147, v148 = u8_xor_split4 v19, v140
  v149, v150 = u8_xor_split4 v20, v141
  v151 = add v145, v148
  v152 = add v147, v150
  v153 = add v149, v144
  v154 = add v143, v146
  v155..v159 = hint_u32_add3 [v129..v132], [v151..v154], [v69..v72]
  v160 = u8_xor v136, v155
  v161 = u8_xor v137, v156
  v162 = u8_xor v134, v157
  v163 = u8_xor v135, v158
  v164..v168 = hint_u32_add [v138..v141], [v161, v162, v163, v160]
  u8_range_check v159, v168
  v169, v170 = u8_xor_split7 v151, v164
  v171, v172 = u8_xor_split7 v152, v165
  v173, v174 = u8_xor_split7 v153, v166
  v175, v176 = u8_xor_split7 v154, v167
  v177 = add v169, v172
  v178 = add v171, v174
  v179 = add v173, v176
  v180 = add v175, v170
  v181..v185 = hint_u32_add3 [v5..v8], [v21..v24], [v73..v76]
  v186 = u8_xor v53, v181
  v187 = u8_xor v54, v182
  v188 = u8_xor v55, v183
  v189 = u8_xor v56, v184
  v190..v194 = hint_u32_add [v37..v40], [v188, v189, v186, v187]
  u8_range_check v185, v194
  v195, v196 = u8_xor_split4 v21, v190
  v197, v198 = u8_xor_split4 v22, v191
  v199, v200 = u8_xor_split4 v23, v192
  v201, v202 = u8_xor_split4 v24, v193
  v203 = add v197, v200
  v204 = add v199, v202
  v205 = add v201, v196
  v206 = add v195, v198
  v207..v211 = hint_u32_add3 [v181..v184], [v203..v206], [v77..v80]
  v212 = u8_xor v188, v207
  v213 = u8_xor v189, v208
  v214 = u8_xor v186, v209
  v215 = u8_xor v187, v210
  v216..v220 = hint_u32_add [v190..v193], [v213, v214, v215, v212]
  u8_range_check v211, v220
  v221, v222 = u8_xor_split7 v203, v216
  v223, v224 = u8_xor_split7 v204, v217
  v225, v226 = u8_xor_split7 v205, v218
  v227, v228 = u8_xor_split7 v206, v219
  v229 = add v221, v224
  v230 = add v223, v226
  v231 = add v225, v228
  v232 = add v227, v222
  v233..v237 = hint_u32_add3 [v9..v12], [v25..v28], [v81..v84]
  v238 = u8_xor v57, v233
  v239 = u8_xor v58, v234
  v240 = u8_xor v59, v235
  v241 = u8_xor v60, v236
  v242..v246 = hint_u32_add [v41..v44], [v240, v241, v238, v239]
  u8_range_check v237, v246
  v247, v248 = u8_xor_split4 v25, v242
  v249, v250 = u8_xor_split4 v26, v243
  v251, v252 = u8_xor_split4 v27, v244
  v253, v254 = u8_xor_split4 v28, v245
  v255 = add v249, v252
  v256 = add v251, v254
  v257 = add v253, v248
  v258 = add v247, v250
  v259..v263 = hint_u32_add3 [v233..v236], [v255..v258], [v85..v88]
  v264 = u8_xor v240, v259
  v265 = u8_xor v241, v260
  v266 = u8_xor v238, v261
  v267 = u8_xor v239, v262
  v268..v272 = hint_u32_add [v242..v245], [v265, v266, v267, v264]
  u8_range_check v263, v272
  v273, v274 = u8_xor_split7 v255, v268
  v275, v276 = u8_xor_split7 v256, v269
  v277, v278 = u8_xor_split7 v257, v270
  v279, v280 = u8_xor_split7 v258, v271
  v281 = add v273, v276
  v282 = add v275, v278
  v283 = add v277, v280
  v284 = add v279, v274
  v285..v289 = hint_u32_add3 [v13..v16], [v29..v32], [v89..v92]
  v290 = u8_xor v61, v285
  v291 = u8_xor v62, v286
  v292 = u8_xor v63, v287
  v293 = u8_xor v64, v288
  v294..v298 = hint_u32_add [v45..v48], [v292, v293, v290, v291]
  u8_range_check v289, v298
  v299, v300 = u8_xor_split4 v29, v294
  v301, v302 = u8_xor_split4 v30, v295
  v303, v304 = u8_xor_split4 v31, v296
  v305, v306 = u8_xor_split4 v32, v297
  v307 = add v301, v304
  v308 = add v303, v306
  v309 = add v305, v300
  v310 = add v299, v302
  v311..v315 = hint_u32_add3 [v285..v288], [v307..v310], [v93..v96]
  v316 = u8_xor v292, v311
  v317 = u8_xor v293, v312
  v318 = u8_xor v290, v313
  v319 = u8_xor v291, v314
  v320..v324 = hint_u32_add [v294..v297], [v317, v318, v319, v316]
  u8_range_check v315, v324
  v325, v326 = u8_xor_split7 v307, v320
  v327, v328 = u8_xor_split7 v308, v321
  v329, v330 = u8_xor_split7 v309, v322
  v331, v332 = u8_xor_split7 v310, v323
  v333 = add v325, v328
  v334 = add v327, v330
  v335 = add v329, v332
  v336 = add v331, v326
  v337..v341 = hint_u32_add3 [v155..v158], [v229..v232], [v97..v100]
  v342 = u8_xor v317, v337
  v343 = u8_xor v318, v338
  v344 = u8_xor v319, v339
  v345 = u8_xor v316, v340
  v346..v350 = hint_u32_add [v268..v271], [v344, v345, v342, v343]
  u8_range_check v341, v350
  v351, v352 = u8_xor_split4 v229, v346
  v353, v354 = u8_xor_split4 v230, v347
  v355, v356 = u8_xor_split4 v231, v348
  v357, v358 = u8_xor_split4 v232, v349
  v359 = add v353, v356
  v360 = add v355, v358
  v361 = add v357, v352
  v362 = add v351, v354
  v363..v367 = hint_u32_add3 [v337..v340], [v359..v362], [v101..v104]
  v368 = u8_xor v344, v363
  v369 = u8_xor v345, v364
  v370 = u8_xor v342, v365
  v371 = u8_xor v343, v366
  v372..v376 = hint_u32_add [v346..v349], [v369, v370, v371, v368]
  u8_range_check v367, v376
  v377, v378 = u8_xor_split7 v359, v372
  v379, v380 = u8_xor_split7 v360, v373
  v381, v382 = u8_xor_split7 v361, v374
  v383, v384 = u8_xor_split7 v362, v375
  v385 = add v377, v380
  v386 = add v379, v382
  v387 = add v381, v384
  v388 = add v383, v378
  v389..v393 = hint_u32_add3 [v207..v210], [v281..v284], [v105..v108]
  v394 = u8_xor v161, v389
  v395 = u8_xor v162, v390
  v396 = u8_xor v163, v391
  v397 = u8_xor v160, v392
  v398..v402 = hint_u32_add [v320..v323], [v396, v397, v394, v395]
  u8_range_check v393, v402
  v403, v404 = u8_xor_split4 v281, v398
  v405, v406 = u8_xor_split4 v282, v399
  v407, v408 = u8_xor_split4 v283, v400
  v409, v410 = u8_xor_split4 v284, v401
  v411 = add v405, v408
  v412 = add v407, v410
  v413 = add v409, v404
  v414 = add v403, v406
  v415..v419 = hint_u32_add3 [v389..v392], [v411..v414], [v109..v112]
  v420 = u8_xor v396, v415
  v421 = u8_xor v397, v416
  v422 = u8_xor v394, v417
  v423 = u8_xor v395, v418
  v424..v428 = hint_u32_add [v398..v401], [v421, v422, v423, v420]
  u8_range_check v419, v428
  v429, v430 = u8_xor_split7 v411, v424
  v431, v432 = u8_xor_split7 v412, v425
  v433, v434 = u8_xor_split7 v413, v426
  v435, v436 = u8_xor_split7 v414, v427
  v437 = add v429, v432
  v438 = add v431, v434
  v439 = add v433, v436
  v440 = add v435, v430
  v441..v445 = hint_u32_add3 [v259..v262], [v333..v336], [v113..v116]
  v446 = u8_xor v213, v441
  v447 = u8_xor v214, v442
  v448 = u8_xor v215, v443
  v449 = u8_xor v212, v444
  v450..v454 = hint_u32_add [v164..v167], [v448, v449, v446, v447]
  u8_range_check v445, v454
  v455, v456 = u8_xor_split4 v333, v450
  v457, v458 = u8_xor_split4 v334, v451
  v459, v460 = u8_xor_split4 v335, v452
  v461, v462 = u8_xor_split4 v336, v453
  v463 = add v457, v460
  v464 = add v459, v462
  v465 = add v461, v456
  v466 = add v455, v458
  v467..v471 = hint_u32_add3 [v441..v444], [v463..v466], [v117..v120]
  v472 = u8_xor v448, v467
  v473 = u8_xor v449, v468
  v474 = u8_xor v446, v469
  v475 = u8_xor v447, v470
  v476..v480 = hint_u32_add [v450..v453], [v473, v474, v475, v472]
  u8_range_check v471, v480
  v481, v482 = u8_xor_split7 v463, v476
  v483, v484 = u8_xor_split7 v464, v477
  v485, v486 = u8_xor_split7 v465, v478
  v487, v488 = u8_xor_split7 v466, v479
  v489 = add v481, v484
  v490 = add v483, v486
  v491 = add v485, v488
  v492 = add v487, v482
  v493..v497 = hint_u32_add3 [v311..v314], [v177..v180], [v121..v124]
  v498 = u8_xor v265, v493
  v499 = u8_xor v266, v494
  v500 = u8_xor v267, v495
  v501 = u8_xor v264, v496
  v502..v506 = hint_u32_add [v216..v219], [v500, v501, v498, v499]
  u8_range_check v497, v506
  v507, v508 = u8_xor_split4 v177, v502
  v509, v510 = u8_xor_split4 v178, v503
  v511, v512 = u8_xor_split4 v179, v504
  v513, v514 = u8_xor_split4 v180, v505
  v515 = add v509, v512
  v516 = add v511, v514
  v517 = add v513, v508
  v518 = add v507, v510
  v519..v523 = hint_u32_add3 [v493..v496], [v515..v518], [v125..v128]
  v524 = u8_xor v500, v519
  v525 = u8_xor v501, v520
  v526 = u8_xor v498, v521
  v527 = u8_xor v499, v522
  v528..v532 = hint_u32_add [v502..v505], [v525, v526, v527, v524]
  u8_range_check v523, v532
  v533, v534 = u8_xor_split7 v515, v528
  v535, v536 = u8_xor_split7 v516, v529
  v537, v538 = u8_xor_split7 v517, v530
  v539, v540 = u8_xor_split7 v518, v531
  v541 = add v533, v536
  v542 = add v535, v538
  v543 = add v537, v540
  v544 = add v539, v534
  match v0 {
    case 6 {
      v545 = u8_xor v363, v476
      v546 = u8_xor v364, v477
      v547 = u8_xor v365, v478
      v548 = u8_xor v366, v479
      v549 = u8_xor v415, v528
      v550 = u8_xor v416, v529
      v551 = u8_xor v417, v530
      v552 = u8_xor v418, v531
      v553 = u8_xor v467, v372
      v554 = u8_xor v468, v373
      v555 = u8_xor v469, v374
      v556 = u8_xor v470, v375
      v557 = u8_xor v519, v424
      v558 = u8_xor v520, v425
      v559 = u8_xor v521, v426
      v560 = u8_xor v522, v427
      v561 = u8_xor v541, v421
      v562 = u8_xor v542, v422
      v563 = u8_xor v543, v423
      v564 = u8_xor v544, v420
      v565 = u8_xor v385, v473
      v566 = u8_xor v386, v474
      v567 = u8_xor v387, v475
      v568 = u8_xor v388, v472
      v569 = u8_xor v437, v525
      v570 = u8_xor v438, v526
      v571 = u8_xor v439, v527
      v572 = u8_xor v440, v524
      v573 = u8_xor v489, v369
      v574 = u8_xor v490, v370
      v575 = u8_xor v491, v371
      v576 = u8_xor v492, v368
      return v545..v576
    }
    default {
      v545 = const 1
      v546 = add v0, v545
      v547..v578 = call blake3_compress(v546, v363..v366, v415..v418, v467..v470, v519..v522, v541..v544, v385..v388, v437..v440, v489..v492, v476..v479, v528..v531, v372..v375, v424..v427, v421, v422, v423, v420, v473, v474, v475, v472, v525, v526, v527, v524, v369, v370, v371, v368, v73..v76, v89..v92, v77..v80, v105..v108, v93..v96, v65..v68, v81..v84, v117..v120, v69..v72, v109..v116, v85..v88, v101..v104, v121..v128, v97..v100)
      return v547..v578
    }
  }
}

fn blake3_block(v0..v4) -> 32 {
  v5 = const 256
  v6 = mul v1, v5
  v7 = const 65536
  v8 = mul v2, v7
  v9 = add v0, v6
  v10 = add v9, v8
  v11 = const 1024
  v12 = mul v10, v11
  v13 = const 64
  v14 = mul v3, v13
  v15 = add v12, v14
  v16 = const 0
  v17..v80 = io_read v16, v15
  u8_range_check v17, v18
  u8_range_check v19, v20
  u8_range_check v21, v22
  u8_range_check v23, v24
  u8_range_check v25, v26
  u8_range_check v27, v28
  u8_range_check v29, v30
  u8_range_check v31, v32
  u8_range_check v33, v34
  u8_range_check v35, v36
  u8_range_check v37, v38
  u8_range_check v39, v40
  u8_range_check v41, v42
  u8_range_check v43, v44
  u8_range_check v45, v46
  u8_range_check v47, v48
  u8_range_check v49, v50
  u8_range_check v51, v52
  u8_range_check v53, v54
  u8_range_check v55, v56
  u8_range_check v57, v58
  u8_range_check v59, v60
  u8_range_check v61, v62
  u8_range_check v63, v64
  u8_range_check v65, v66
  u8_range_check v67, v68
  u8_range_check v69, v70
  u8_range_check v71, v72
  u8_range_check v73, v74
  u8_range_check v75, v76
  u8_range_check v77, v78
  u8_range_check v79, v80
  match v3 {
    case 0 {
      v81 = const 1
      v82 = add v4, v81
      v83 = const 103
      v84 = const 230
      v85 = const 9
      v86 = const 106
      v87 = const 133
      v88 = const 174
      v89 = const 187
      v90 = const 114
      v91 = const 243
      v92 = const 110
      v93 = const 60
      v94 = const 58
      v95 = const 245
      v96 = const 79
      v97 = const 165
      v98 = const 127
      v99 = const 82
      v100 = const 14
      v101 = const 81
      v102 = const 140
      v103 = const 104
      v104 = const 5
      v105 = const 155
      v106 = const 171
      v107 = const 217
      v108 = const 131
      v109 = const 31
      v110 = const 25
      v111 = const 205
      v112 = const 224
      v113 = const 91
      v114..v145 = call blake3_compress(v16, v83..v88, v83, v89..v113, v83..v88, v83, v89..v97, v0, v1, v2, v16, v16, v16, v16, v16, v13, v16, v16, v16, v82, v16, v16, v16..v80)
      return v114..v145
    }
    default {
      v81 = const 1
      v82 = sub v3, v81
      v83..v114 = call blake3_block(v0, v1, v2, v82, v16)
      v115 = const 103
      v116 = const 230
      v117 = const 9
      v118 = const 106
      v119 = const 133
      v120 = const 174
      v121 = const 187
      v122 = const 114
      v123 = const 243
      v124 = const 110
      v125 = const 60
      v126 = const 58
      v127 = const 245
      v128 = const 79
      v129 = const 165
      v130..v161 = call blake3_compress(v16, v83..v120, v115, v121..v129, v0, v1, v2, v16, v16, v16, v16, v16, v13, v16, v16, v16, v4, v16, v16, v16..v80)
      return v130..v161
    }
  }
}

fn blake3_subtree(v0, v1) -> 32 {
  match v1 {
    case 1 {
      v2..v9 = hint_field_to_bytes v0
      v10 = const 256
      v11 = mul v3, v10
      v12 = const 65536
      v13 = mul v4, v12
      v14 = add v2, v11
      v15 = add v14, v13
      assert_eq v0, v15, "a chunk number is small"
      u8_range_check v2, v3
      v16 = const 0
      u8_range_check v4, v16
      v17 = const 15
      v18 = const 2
      v19..v50 = call blake3_block(v2, v3, v4, v17, v18)
      return v19..v50
    }
    default {
      v2 = const 9223372034707292161
      v3 = mul v1, v2
      v4..v35 = call blake3_subtree(v0, v3)
      v36 = add v0, v3
      v37..v68 = call blake3_subtree(v36, v3)
      v69 = const 0
      v70 = const 4
      v71 = const 64
      v72 = const 103
      v73 = const 230
      v74 = const 9
      v75 = const 106
      v76 = const 133
      v77 = const 174
      v78 = const 187
      v79 = const 114
      v80 = const 243
      v81 = const 110
      v82 = const 60
      v83 = const 58
      v84 = const 245
      v85 = const 79
      v86 = const 165
      v87 = const 127
      v88 = const 82
      v89 = const 14
      v90 = const 81
      v91 = const 140
      v92 = const 104
      v93 = const 5
      v94 = const 155
      v95 = const 171
      v96 = const 217
      v97 = const 131
      v98 = const 31
      v99 = const 25
      v100 = const 205
      v101 = const 224
      v102 = const 91
      v103..v134 = call blake3_compress(v69, v72..v77, v72, v78..v102, v72..v77, v72, v78..v86, v69, v69, v69, v69, v69, v69, v69, v69, v71, v69, v69, v69, v70, v69, v69, v69, v4..v35, v37..v68)
      return v103..v134
    }
  }
}

fn blake3_spine(v0..v35) -> 32 {
  v36 = const 256
  v37 = mul v33, v36
  v38 = const 65536
  v39 = mul v34, v38
  v40 = add v32, v37
  v41 = add v40, v39
  v42 = u8_shift_right v32
  v43 = add v42, v42
  v44 = sub v32, v43
  v45 = u8_shift_right v33
  v46 = add v45, v45
  v47 = sub v33, v46
  v48 = u8_shift_right v34
  v49 = add v48, v48
  v50 = sub v34, v49
  v51 = const 128
  v52 = mul v47, v51
  v53 = add v42, v52
  v54 = mul v50, v51
  v55 = add v45, v54
  match v41 {
    case 1 {
      v56 = const 0
      v57..v88 = call blake3_subtree(v56, v35)
      v89 = const 12
      v90 = const 64
      v91 = const 103
      v92 = const 230
      v93 = const 9
      v94 = const 106
      v95 = const 133
      v96 = const 174
      v97 = const 187
      v98 = const 114
      v99 = const 243
      v100 = const 110
      v101 = const 60
      v102 = const 58
      v103 = const 245
      v104 = const 79
      v105 = const 165
      v106 = const 127
      v107 = const 82
      v108 = const 14
      v109 = const 81
      v110 = const 140
      v111 = const 104
      v112 = const 5
      v113 = const 155
      v114 = const 171
      v115 = const 217
      v116 = const 131
      v117 = const 31
      v118 = const 25
      v119 = const 205
      v120 = const 224
      v121 = const 91
      v122..v153 = call blake3_compress(v56, v91..v96, v91, v97..v121, v91..v96, v91, v97..v105, v56, v56, v56, v56, v56, v56, v56, v56, v90, v56, v56, v56, v89, v56, v56, v56..v88, v0..v31)
      return v122..v153
    }
    default {
      v56 = add v35, v35
      match v44 {
        case 0 {
          v57..v88 = call blake3_spine(v0..v31, v53, v55, v48, v56)
          return v57..v88
        }
        case 1 {
          v57 = const 1
          v58 = sub v41, v57
          v59 = mul v58, v35
          v60..v91 = call blake3_subtree(v59, v35)
          v92 = const 0
          v93 = const 4
          v94 = const 64
          v95 = const 103
          v96 = const 230
          v97 = const 9
          v98 = const 106
          v99 = const 133
          v100 = const 174
          v101 = const 187
          v102 = const 114
          v103 = const 243
          v104 = const 110
          v105 = const 60
          v106 = const 58
          v107 = const 245
          v108 = const 79
          v109 = const 165
          v110 = const 127
          v111 = const 82
          v112 = const 14
          v113 = const 81
          v114 = const 140
          v115 = const 104
          v116 = const 5
          v117 = const 155
          v118 = const 171
          v119 = const 217
          v120 = const 131
          v121 = const 31
          v122 = const 25
          v123 = const 205
          v124 = const 224
          v125 = const 91
          v126..v157 = call blake3_compress(v92, v95..v100, v95, v101..v125, v95..v100, v95, v101..v109, v92, v92, v92, v92, v92, v92, v92, v92, v94, v92, v92, v92, v93, v92, v92, v92, v60..v91, v0..v31)
          v158..v189 = call blake3_spine(v126..v157, v53, v55, v48, v56)
          return v158..v189
        }
      }
    }
  }
}

fn tail_1(v0, v1) -> 1 {
  match v1 {
    case 0 {
      v2 = const 0
      return v2
    }
    case 1 {
      v2 = const 0
      v3 = io_read v2, v0
      u8_range_check v3, v2
      v4 = const 1
      v5 = add v0, v4
      return v3
    }
  }
}

fn tail_2(v0, v1, v2) -> 3 {
  match v2 {
    case 0 {
      v3 = call tail_1(v0, v1)
      v4 = const 0
      return v3, v4, v4
    }
    case 1 {
      v3 = const 0
      v4, v5 = io_read v3, v0
      u8_range_check v4, v5
      v6 = const 2
      v7 = add v0, v6
      v8 = call tail_1(v7, v1)
      return v4, v5, v8
    }
  }
}

fn tail_3(v0..v3) -> 7 {
  match v3 {
    case 0 {
      v4, v5, v6 = call tail_2(v0, v1, v2)
      v7 = const 0
      return v4..v7, v7, v7, v7
    }
    case 1 {
      v4 = const 0
      v5..v8 = io_read v4, v0
      u8_range_check v5, v6
      u8_range_check v7, v8
      v9 = const 4
      v10 = add v0, v9
      v11, v12, v13 = call tail_2(v10, v1, v2)
      return v5..v8, v11, v12, v13
    }
  }
}

fn tail_4(v0..v4) -> 15 {
  match v4 {
    case 0 {
      v5..v11 = call tail_3(v0..v3)
      v12 = const 0
      return v5..v12, v12, v12, v12, v12, v12, v12, v12
    }
    case 1 {
      v5 = const 0
      v6..v13 = io_read v5, v0
      u8_range_check v6, v7
      u8_range_check v8, v9
      u8_range_check v10, v11
      u8_range_check v12, v13
      v14 = const 8
      v15 = add v0, v14
      v16..v22 = call tail_3(v15, v1, v2, v3)
      return v6..v13, v16..v22
    }
  }
}

fn tail_5(v0..v5) -> 31 {
  match v5 {
    case 0 {
      v6..v20 = call tail_4(v0..v4)
      v21 = const 0
      return v6..v21, v21, v21, v21, v21, v21, v21, v21, v21, v21, v21, v21, v21, v21, v21, v21
    }
    case 1 {
      v6 = const 0
      v7..v22 = io_read v6, v0
      u8_range_check v7, v8
      u8_range_check v9, v10
      u8_range_check v11, v12
      u8_range_check v13, v14
      u8_range_check v15, v16
      u8_range_check v17, v18
      u8_range_check v19, v20
      u8_range_check v21, v22
      v23 = const 16
      v24 = add v0, v23
      v25..v39 = call tail_4(v24, v1..v4)
      return v7..v22, v25..v39
    }
  }
}

fn tail_6(v0..v6) -> 63 {
  match v6 {
    case 0 {
      v7..v37 = call tail_5(v0..v5)
      v38 = const 0
      return v7..v38, v38, v38, v38, v38, v38, v38, v38, v38, v38, v38, v38, v38, v38, v38, v38, v38, v38, v38, v38, v38, v38, v38, v38, v38, v38, v38, v38, v38, v38, v38, v38
    }
    case 1 {
      v7 = const 0
      v8..v39 = io_read v7, v0
      u8_range_check v8, v9
      u8_range_check v10, v11
      u8_range_check v12, v13
      u8_range_check v14, v15
      u8_range_check v16, v17
      u8_range_check v18, v19
      u8_range_check v20, v21
      u8_range_check v22, v23
      u8_range_check v24, v25
      u8_range_check v26, v27
      u8_range_check v28, v29
      u8_range_check v30, v31
      u8_range_check v32, v33
      u8_range_check v34, v35
      u8_range_check v36, v37
      u8_range_check v38, v39
      v40 = const 32
      v41 = add v0, v40
      v42..v72 = call tail_5(v41, v1..v5)
      return v8..v39, v42..v72
    }
  }
}

fn blake3_last_block(v0..v10) -> 32 {
  v11 = const 256
  v12 = mul v1, v11
  v13 = const 65536
  v14 = mul v2, v13
  v15 = add v0, v12
  v16 = add v15, v14
  v17 = const 1024
  v18 = mul v16, v17
  v19 = const 64
  v20 = mul v3, v19
  v21 = add v18, v20
  v22 = const 0
  v23 = io_read v22, v21
  u8_range_check v23, v22
  v24 = const 1
  v25 = add v21, v24
  v26..v88 = call tail_6(v25, v4..v9)
  v89 = const 2
  v90 = mul v5, v89
  v91 = const 4
  v92 = mul v6, v91
  v93 = const 8
  v94 = mul v7, v93
  v95 = const 16
  v96 = mul v8, v95
  v97 = const 32
  v98 = mul v9, v97
  v99 = add v4, v90
  v100 = add v99, v92
  v101 = add v100, v94
  v102 = add v101, v96
  v103 = add v102, v98
  v104 = add v103, v24
  match v3 {
    case 0 {
      v105 = add v10, v24
      v106 = const 103
      v107 = const 230
      v108 = const 9
      v109 = const 106
      v110 = const 133
      v111 = const 174
      v112 = const 187
      v113 = const 114
      v114 = const 243
      v115 = const 110
      v116 = const 60
      v117 = const 58
      v118 = const 245
      v119 = const 79
      v120 = const 165
      v121 = const 127
      v122 = const 82
      v123 = const 14
      v124 = const 81
      v125 = const 140
      v126 = const 104
      v127 = const 5
      v128 = const 155
      v129 = const 171
      v130 = const 217
      v131 = const 131
      v132 = const 31
      v133 = const 25
      v134 = const 205
      v135 = const 224
      v136 = const 91
      v137..v168 = call blake3_compress(v22, v106..v111, v106, v112..v136, v106..v111, v106, v112..v120, v0, v1, v2, v22, v22, v22, v22, v22, v104, v22, v22, v22, v105, v22, v22, v22, v23, v26..v88)
      return v137..v168
    }
    default {
      v105 = sub v3, v24
      v106..v137 = call blake3_block(v0, v1, v2, v105, v22)
      v138 = const 103
      v139 = const 230
      v140 = const 9
      v141 = const 106
      v142 = const 133
      v143 = const 174
      v144 = const 187
      v145 = const 114
      v146 = const 243
      v147 = const 110
      v148 = const 60
      v149 = const 58
      v150 = const 245
      v151 = const 79
      v152 = const 165
      v153..v184 = call blake3_compress(v22, v106..v143, v138, v144..v152, v0, v1, v2, v22, v22, v22, v22, v22, v104, v22, v22, v22, v10, v22, v22, v22, v23, v26..v88)
      return v153..v184
    }
  }
}

end
