program "sha256"
circuit sha256, sha256_constants, tail_1, tail_2, tail_3, tail_4, tail_5, tail_6
circuit sha256_rounds
circuit sha256_block
circuit sha256_state

fn sha256(v0) -> 32 entry {
  v1 = const 0
  v2, v3 = io_get_info v1, []
  assert_eq v2, v1, "the input is the first thing on channel 0"
  assert_eq v3, v0, "the input is as long as claimed"
  v4..v11 = hint_field_to_bytes v0
  v12 = const 256
  v13 = mul v5, v12
  v14 = const 65536
  v15 = mul v6, v14
  v16 = const 16777216
  v17 = mul v7, v16
  v18 = add v4, v13
  v19 = add v18, v15
  v20 = add v19, v17
  assert_eq v0, v20, "the length is below 2^32"
  v21..v28 = u8_bit_decomposition v4
  v29..v36 = u8_bit_decomposition v5
  v37..v44 = u8_bit_decomposition v6
  v45..v52 = u8_bit_decomposition v7
  v53 = const 2
  v54 = mul v28, v53
  v55 = const 4
  v56 = mul v29, v55
  v57 = const 8
  v58 = mul v30, v57
  v59 = const 16
  v60 = mul v31, v59
  v61 = const 32
  v62 = mul v32, v61
  v63 = const 64
  v64 = mul v33, v63
  v65 = const 128
  v66 = mul v34, v65
  v67 = mul v35, v12
  v68 = const 512
  v69 = mul v36, v68
  v70 = const 1024
  v71 = mul v37, v70
  v72 = const 2048
  v73 = mul v38, v72
  v74 = const 4096
  v75 = mul v39, v74
  v76 = const 8192
  v77 = mul v40, v76
  v78 = const 16384
  v79 = mul v41, v78
  v80 = const 32768
  v81 = mul v42, v80
  v82 = mul v43, v14
  v83 = const 131072
  v84 = mul v44, v83
  v85 = const 262144
  v86 = mul v45, v85
  v87 = const 524288
  v88 = mul v46, v87
  v89 = const 1048576
  v90 = mul v47, v89
  v91 = const 2097152
  v92 = mul v48, v91
  v93 = const 4194304
  v94 = mul v49, v93
  v95 = const 8388608
  v96 = mul v50, v95
  v97 = mul v51, v16
  v98 = const 33554432
  v99 = mul v52, v98
  v100 = add v27, v54
  v101 = add v100, v56
  v102 = add v101, v58
  v103 = add v102, v60
  v104 = add v103, v62
  v105 = add v104, v64
  v106 = add v105, v66
  v107 = add v106, v67
  v108 = add v107, v69
  v109 = add v108, v71
  v110 = add v109, v73
  v111 = add v110, v75
  v112 = add v111, v77
  v113 = add v112, v79
  v114 = add v113, v81
  v115 = add v114, v82
  v116 = add v115, v84
  v117 = add v116, v86
  v118 = add v117, v88
  v119 = add v118, v90
  v120 = add v119, v92
  v121 = add v120, v94
  v122 = add v121, v96
  v123 = add v122, v97
  v124 = add v123, v99
  v125..v156 = call sha256_state(v124)
  v157 = mul v124, v63
  v158..v221 = call tail_6(v157, v21..v26)
  v222 = mul v1, v53
  v223 = mul v1, v55
  v224 = mul v21, v57
  v225 = mul v22, v59
  v226 = mul v23, v61
  v227 = mul v24, v63
  v228 = mul v25, v65
  v229 = add v1, v222
  v230 = add v229, v223
  v231 = add v230, v224
  v232 = add v231, v225
  v233 = add v232, v226
  v234 = add v233, v227
  v235 = add v234, v228
  v236 = mul v27, v53
  v237 = mul v28, v55
  v238 = mul v29, v57
  v239 = mul v30, v59
  v240 = mul v31, v61
  v241 = mul v32, v63
  v242 = mul v33, v65
  v243 = add v26, v236
  v244 = add v243, v237
  v245 = add v244, v238
  v246 = add v245, v239
  v247 = add v246, v240
  v248 = add v247, v241
  v249 = add v248, v242
  v250 = mul v35, v53
  v251 = mul v36, v55
  v252 = mul v37, v57
  v253 = mul v38, v59
  v254 = mul v39, v61
  v255 = mul v40, v63
  v256 = mul v41, v65
  v257 = add v34, v250
  v258 = add v257, v251
  v259 = add v258, v252
  v260 = add v259, v253
  v261 = add v260, v254
  v262 = add v261, v255
  v263 = add v262, v256
  v264 = mul v43, v53
  v265 = mul v44, v55
  v266 = mul v45, v57
  v267 = mul v46, v59
  v268 = mul v47, v61
  v269 = mul v48, v63
  v270 = mul v49, v65
  v271 = add v42, v264
  v272 = add v271, v265
  v273 = add v272, v266
  v274 = add v273, v267
  v275 = add v274, v268
  v276 = add v275, v269
  v277 = add v276, v270
  v278 = mul v51, v53
  v279 = mul v52, v55
  v280 = add v50, v278
  v281 = add v280, v279
  v282 = mul v24, v25
  v283 = mul v282, v26
  match v283 {
    case 0 {
      v284..v315 = call sha256_block(v125..v156, v158..v213, v1, v1, v1, v281, v277, v263, v249, v235)
      return v287, v286, v285, v284, v291, v290, v289, v288, v295, v294, v293, v292, v299, v298, v297, v296, v303, v302, v301, v300, v307, v306, v305, v304, v311, v310, v309, v308, v315, v314, v313, v312
    }
    case 1 {
      v284..v315 = call sha256_block(v125..v156, v158..v221)
      v316..v347 = call sha256_block(v284..v315, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v1, v281, v277, v263, v249, v235)
      return v319, v318, v317, v316, v323, v322, v321, v320, v327, v326, v325, v324, v331, v330, v329, v328, v335, v334, v333, v332, v339, v338, v337, v336, v343, v342, v341, v340, v347, v346, v345, v344
    }
  }
}

fn sha256_constants(v0) -> 4 {
  match v0 {
    case 0 {
      v1 = const 1116352408
      v2 = const 1899447441
      v3 = const 3049323471
      v4 = const 3921009573
      return v1..v4
    }
    case 1 {
      v1 = const 961987163
      v2 = const 1508970993
      v3 = const 2453635748
      v4 = const 2870763221
      return v1..v4
    }
    case 2 {
      v1 = const 3624381080
      v2 = const 310598401
      v3 = const 607225278
      v4 = const 1426881987
      return v1..v4
    }
    case 3 {
      v1 = const 1925078388
      v2 = const 2162078206
      v3 = const 2614888103
      v4 = const 3248222580
      return v1..v4
    }
    case 4 {
      v1 = const 3835390401
      v2 = const 4022224774
      v3 = const 264347078
      v4 = const 604807628
      return v1..v4
    }
    case 5 {
      v1 = const 770255983
      v2 = const 1249150122
      v3 = const 1555081692
      v4 = const 1996064986
      return v1..v4
    }
    case 6 {
      v1 = const 2554220882
      v2 = const 2821834349
      v3 = const 2952996808
      v4 = const 3210313671
      return v1..v4
    }
    case 7 {
      v1 = const 3336571891
      v2 = const 3584528711
      v3 = const 113926993
      v4 = const 338241895
      return v1..v4
    }
    case 8 {
      v1 = const 666307205
      v2 = const 773529912
      v3 = const 1294757372
      v4 = const 1396182291
      return v1..v4
    }
    case 9 {
      v1 = const 1695183700
      v2 = const 1986661051
      v3 = const 2177026350
      v4 = const 2456956037
      return v1..v4
    }
    case 10 {
      v1 = const 2730485921
      v2 = const 2820302411
      v3 = const 3259730800
      v4 = const 3345764771
      return v1..v4
    }
    case 11 {
      v1 = const 3516065817
      v2 = const 3600352804
      v3 = const 4094571909
      v4 = const 275423344
      return v1..v4
    }
    case 12 {
      v1 = const 430227734
      v2 = const 506948616
      v3 = const 659060556
      v4 = const 883997877
      return v1..v4
    }
    case 13 {
      v1 = const 958139571
      v2 = const 1322822218
      v3 = const 1537002063
      v4 = const 1747873779
      return v1..v4
    }
    case 14 {
      v1 = const 1955562222
      v2 = const 2024104815
      v3 = const 2227730452
      v4 = const 2361852424
      return v1..v4
    }
    case 15 {
      v1 = const 2428436474
      v2 = const 2756734187
      v3 = const 3204031479
      v4 = const 3329325298
      return v1..v4
    }
  }
}

fn sha256_rounds(v0..v90) -> 8 {
  v91..v94 = call sha256_constants(v0)
  v95 = const 4
  v96, v97 = u8_mul v14, v95
  v98, v99 = u8_mul v15, v95
  v100, v101 = u8_mul v16, v95
  v102, v103 = u8_mul v17, v95
  v104 = add v99, v100
  v105 = add v101, v102
  v106 = add v103, v96
  v107 = add v97, v98
  v108 = u8_xor v14, v104
  v109 = u8_xor v15, v105
  v110 = u8_xor v16, v106
  v111 = u8_xor v17, v107
  v112 = const 8
  v113, v114 = u8_mul v108, v112
  v115, v116 = u8_mul v109, v112
  v117, v118 = u8_mul v110, v112
  v119, v120 = u8_mul v111, v112
  v121 = add v114, v115
  v122 = add v116, v117
  v123 = add v118, v119
  v124 = add v120, v113
  v125 = u8_xor v14, v121
  v126 = u8_xor v15, v122
  v127 = u8_xor v16, v123
  v128 = u8_xor v17, v124
  v129, v130 = u8_mul v125, v95
  v131 = const 16777216
  v132 = mul v129, v131
  v133 = mul v126, v95
  v134 = const 1024
  v135 = mul v127, v134
  v136 = const 262144
  v137 = mul v128, v136
  v138 = add v130, v132
  v139 = add v138, v133
  v140 = add v139, v135
  v141 = add v140, v137
  v142 = u8_and v14, v18
  v143 = u8_and v15, v19
  v144 = u8_and v16, v20
  v145 = u8_and v17, v21
  v146 = u8_and v14, v22
  v147 = u8_and v15, v23
  v148 = u8_and v16, v24
  v149 = u8_and v17, v25
  v150 = const 256
  v151 = mul v143, v150
  v152 = const 65536
  v153 = mul v144, v152
  v154 = mul v145, v131
  v155 = add v142, v151
  v156 = add v155, v153
  v157 = add v156, v154
  v158 = mul v147, v150
  v159 = mul v148, v152
  v160 = mul v149, v131
  v161 = add v146, v158
  v162 = add v161, v159
  v163 = add v162, v160
  v164 = mul v23, v150
  v165 = mul v24, v152
  v166 = mul v25, v131
  v167 = add v22, v164
  v168 = add v167, v165
  v169 = add v168, v166
  v170 = sub v169, v163
  v171 = add v157, v170
  v172 = mul v28, v150
  v173 = mul v29, v152
  v174 = mul v30, v131
  v175 = add v27, v172
  v176 = add v175, v173
  v177 = add v176, v174
  v178 = add v26, v141
  v179 = add v178, v171
  v180 = add v179, v91
  v181 = add v180, v177
  v182 = const 32
  v183, v184 = u8_mul v1, v182
  v185, v186 = u8_mul v2, v182
  v187, v188 = u8_mul v3, v182
  v189, v190 = u8_mul v4, v182
  v191 = add v186, v187
  v192 = add v188, v189
  v193 = add v190, v183
  v194 = add v184, v185
  v195, v196 = u8_xor_split4 v1, v191
  v197, v198 = u8_xor_split4 v2, v192
  v199, v200 = u8_xor_split4 v3, v193
  v201, v202 = u8_xor_split4 v4, v194
  v203 = add v197, v200
  v204 = add v199, v202
  v205 = add v201, v196
  v206 = add v195, v198
  v207 = u8_xor v1, v203
  v208 = u8_xor v2, v204
  v209 = u8_xor v3, v205
  v210 = u8_xor v4, v206
  v211, v212 = u8_mul v209, v95
  v213 = mul v211, v131
  v214 = mul v207, v134
  v215 = mul v208, v136
  v216 = mul v210, v95
  v217 = add v212, v213
  v218 = add v217, v214
  v219 = add v218, v215
  v220 = add v219, v216
  v221 = u8_xor v1, v5
  v222 = u8_xor v2, v6
  v223 = u8_xor v3, v7
  v224 = u8_xor v4, v8
  v225 = u8_and v9, v221
  v226 = u8_and v10, v222
  v227 = u8_and v11, v223
  v228 = u8_and v12, v224
  v229 = mul v2, v150
  v230 = mul v3, v152
  v231 = mul v4, v131
  v232 = add v1, v229
  v233 = add v232, v230
  v234 = add v233, v231
  v235 = mul v6, v150
  v236 = mul v7, v152
  v237 = mul v8, v131
  v238 = add v5, v235
  v239 = add v238, v236
  v240 = add v239, v237
  v241 = mul v222, v150
  v242 = mul v223, v152
  v243 = mul v224, v131
  v244 = add v221, v241
  v245 = add v244, v242
  v246 = add v245, v243
  v247 = mul v226, v150
  v248 = mul v227, v152
  v249 = mul v228, v131
  v250 = add v225, v247
  v251 = add v250, v248
  v252 = add v251, v249
  v253 = add v234, v240
  v254 = sub v253, v246
  v255 = const 9223372034707292161
  v256 = mul v254, v255
  v257 = add v256, v252
  v258 = add v13, v181
  v259 = add v181, v220
  v260 = add v259, v257
  v261..v268 = hint_field_to_bytes v258
  v269 = mul v262, v150
  v270 = mul v263, v152
  v271 = mul v264, v131
  v272 = add v261, v269
  v273 = add v272, v270
  v274 = add v273, v271
  v275 = const 4294967296
  v276 = mul v265, v275
  v277 = add v274, v276
  assert_eq v258, v277, "a sum of words has five bytes"
  v278..v285 = hint_field_to_bytes v260
  v286 = mul v279, v150
  v287 = mul v280, v152
  v288 = mul v281, v131
  v289 = add v278, v286
  v290 = add v289, v287
  v291 = add v290, v288
  v292 = mul v282, v275
  v293 = add v291, v292
  assert_eq v260, v293, "a sum of words has five bytes"
  v294 = mul v10, v150
  v295 = mul v11, v152
  v296 = mul v12, v131
  v297 = add v9, v294
  v298 = add v297, v295
  v299 = add v298, v296
  v300 = mul v23, v150
  v301 = mul v24, v152
  v302 = mul v25, v131
  v303 = add v22, v300
  v304 = add v303, v301
  v305 = add v304, v302
  v306 = mul v28, v150
  v307 = mul v29, v152
  v308 = mul v30, v131
  v309 = add v27, v306
  v310 = add v309, v307
  v311 = add v310, v308
  v312, v313 = u8_mul v31, v182
  v314, v315 = u8_mul v32, v182
  v316, v317 = u8_mul v33, v182
  v318, v319 = u8_mul v34, v182
  v320 = add v315, v316
  v321 = add v317, v318
  v322 = add v319, v312
  v323 = add v313, v314
  v324 = add v313, v314
  v325 = add v315, v316
  v326 = add v317, v318
  v327, v328 = u8_xor_split7 v31, v320
  v329, v330 = u8_xor_split7 v32, v321
  v331, v332 = u8_xor_split7 v33, v322
  v333, v334 = u8_xor_split7 v34, v323
  v335 = add v327, v330
  v336 = add v329, v332
  v337 = add v331, v334
  v338 = add v333, v328
  v339 = u8_xor v335, v324
  v340 = u8_xor v336, v325
  v341 = u8_xor v337, v326
  v342 = u8_xor v338, v319
  v343 = mul v340, v150
  v344 = mul v341, v152
  v345 = mul v342, v131
  v346 = add v339, v343
  v347 = add v346, v344
  v348 = add v347, v345
  v349 = mul v64, v150
  v350 = mul v65, v152
  v351 = mul v66, v131
  v352 = add v63, v349
  v353 = add v352, v350
  v354 = add v353, v351
  v355 = const 64
  v356, v357 = u8_mul v83, v355
  v358, v359 = u8_mul v84, v355
  v360, v361 = u8_mul v85, v355
  v362, v363 = u8_mul v86, v355
  v364 = add v357, v358
  v365 = add v359, v360
  v366 = add v361, v362
  v367 = add v363, v356
  v368 = add v359, v360
  v369 = add v361, v362
  v370 = const 0
  v371 = u8_xor v83, v364
  v372 = u8_xor v84, v365
  v373 = u8_xor v85, v366
  v374 = u8_xor v86, v367
  v375 = const 128
  v376, v377 = u8_mul v371, v375
  v378, v379 = u8_mul v372, v375
  v380, v381 = u8_mul v373, v375
  v382, v383 = u8_mul v374, v375
  v384 = add v381, v382
  v385 = add v383, v376
  v386 = add v377, v378
  v387 = add v379, v380
  v388 = u8_xor v384, v368
  v389 = u8_xor v385, v369
  v390 = u8_xor v386, v363
  v391 = mul v389, v150
  v392 = mul v390, v152
  v393 = mul v387, v131
  v394 = add v388, v391
  v395 = add v394, v392
  v396 = add v395, v393
  v397 = add v311, v348
  v398 = add v397, v354
  v399 = add v398, v396
  v400..v407 = hint_field_to_bytes v399
  v408 = mul v401, v150
  v409 = mul v402, v152
  v410 = mul v403, v131
  v411 = add v400, v408
  v412 = add v411, v409
  v413 = add v412, v410
  v414 = mul v404, v275
  v415 = add v413, v414
  assert_eq v399, v415, "a sum of words has five bytes"
  v416, v417 = u8_mul v261, v95
  v418, v419 = u8_mul v262, v95
  v420, v421 = u8_mul v263, v95
  v422, v423 = u8_mul v264, v95
  v424 = add v419, v420
  v425 = add v421, v422
  v426 = add v423, v416
  v427 = add v417, v418
  v428 = u8_xor v261, v424
  v429 = u8_xor v262, v425
  v430 = u8_xor v263, v426
  v431 = u8_xor v264, v427
  v432, v433 = u8_mul v428, v112
  v434, v435 = u8_mul v429, v112
  v436, v437 = u8_mul v430, v112
  v438, v439 = u8_mul v431, v112
  v440 = add v433, v434
  v441 = add v435, v436
  v442 = add v437, v438
  v443 = add v439, v432
  v444 = u8_xor v261, v440
  v445 = u8_xor v262, v441
  v446 = u8_xor v263, v442
  v447 = u8_xor v264, v443
  v448, v449 = u8_mul v444, v95
  v450 = mul v448, v131
  v451 = mul v445, v95
  v452 = mul v446, v134
  v453 = mul v447, v136
  v454 = add v449, v450
  v455 = add v454, v451
  v456 = add v455, v452
  v457 = add v456, v453
  v458 = u8_and v261, v14
  v459 = u8_and v262, v15
  v460 = u8_and v263, v16
  v461 = u8_and v264, v17
  v462 = u8_and v261, v18
  v463 = u8_and v262, v19
  v464 = u8_and v263, v20
  v465 = u8_and v264, v21
  v466 = mul v459, v150
  v467 = mul v460, v152
  v468 = mul v461, v131
  v469 = add v458, v466
  v470 = add v469, v467
  v471 = add v470, v468
  v472 = mul v463, v150
  v473 = mul v464, v152
  v474 = mul v465, v131
  v475 = add v462, v472
  v476 = add v475, v473
  v477 = add v476, v474
  v478 = mul v19, v150
  v479 = mul v20, v152
  v480 = mul v21, v131
  v481 = add v18, v478
  v482 = add v481, v479
  v483 = add v482, v480
  v484 = sub v483, v477
  v485 = add v471, v484
  v486 = mul v32, v150
  v487 = mul v33, v152
  v488 = mul v34, v131
  v489 = add v31, v486
  v490 = add v489, v487
  v491 = add v490, v488
  v492 = add v305, v457
  v493 = add v492, v485
  v494 = add v493, v92
  v495 = add v494, v491
  v496, v497 = u8_mul v278, v182
  v498, v499 = u8_mul v279, v182
  v500, v501 = u8_mul v280, v182
  v502, v503 = u8_mul v281, v182
  v504 = add v499, v500
  v505 = add v501, v502
  v506 = add v503, v496
  v507 = add v497, v498
  v508, v509 = u8_xor_split4 v278, v504
  v510, v511 = u8_xor_split4 v279, v505
  v512, v513 = u8_xor_split4 v280, v506
  v514, v515 = u8_xor_split4 v281, v507
  v516 = add v510, v513
  v517 = add v512, v515
  v518 = add v514, v509
  v519 = add v508, v511
  v520 = u8_xor v278, v516
  v521 = u8_xor v279, v517
  v522 = u8_xor v280, v518
  v523 = u8_xor v281, v519
  v524, v525 = u8_mul v522, v95
  v526 = mul v524, v131
  v527 = mul v520, v134
  v528 = mul v521, v136
  v529 = mul v523, v95
  v530 = add v525, v526
  v531 = add v530, v527
  v532 = add v531, v528
  v533 = add v532, v529
  v534 = u8_xor v278, v1
  v535 = u8_xor v279, v2
  v536 = u8_xor v280, v3
  v537 = u8_xor v281, v4
  v538 = u8_and v5, v534
  v539 = u8_and v6, v535
  v540 = u8_and v7, v536
  v541 = u8_and v8, v537
  v542 = mul v279, v150
  v543 = mul v280, v152
  v544 = mul v281, v131
  v545 = add v278, v542
  v546 = add v545, v543
  v547 = add v546, v544
  v548 = mul v2, v150
  v549 = mul v3, v152
  v550 = mul v4, v131
  v551 = add v1, v548
  v552 = add v551, v549
  v553 = add v552, v550
  v554 = mul v535, v150
  v555 = mul v536, v152
  v556 = mul v537, v131
  v557 = add v534, v554
  v558 = add v557, v555
  v559 = add v558, v556
  v560 = mul v539, v150
  v561 = mul v540, v152
  v562 = mul v541, v131
  v563 = add v538, v560
  v564 = add v563, v561
  v565 = add v564, v562
  v566 = add v547, v553
  v567 = sub v566, v559
  v568 = mul v567, v255
  v569 = add v568, v565
  v570 = add v299, v495
  v571 = add v495, v533
  v572 = add v571, v569
  v573..v580 = hint_field_to_bytes v570
  v581 = mul v574, v150
  v582 = mul v575, v152
  v583 = mul v576, v131
  v584 = add v573, v581
  v585 = add v584, v582
  v586 = add v585, v583
  v587 = mul v577, v275
  v588 = add v586, v587
  assert_eq v570, v588, "a sum of words has five bytes"
  v589..v596 = hint_field_to_bytes v572
  v597 = mul v590, v150
  v598 = mul v591, v152
  v599 = mul v592, v131
  v600 = add v589, v597
  v601 = add v600, v598
  v602 = add v601, v599
  v603 = mul v593, v275
  v604 = add v602, v603
  assert_eq v572, v604, "a sum of words has five bytes"
  v605 = mul v6, v150
  v606 = mul v7, v152
  v607 = mul v8, v131
  v608 = add v5, v605
  v609 = add v608, v606
  v610 = add v609, v607
  v611 = mul v19, v150
  v612 = mul v20, v152
  v613 = mul v21, v131
  v614 = add v18, v611
  v615 = add v614, v612
  v616 = add v615, v613
  v617 = mul v32, v150
  v618 = mul v33, v152
  v619 = mul v34, v131
  v620 = add v31, v617
  v621 = add v620, v618
  v622 = add v621, v619
  v623, v624 = u8_mul v35, v182
  v625, v626 = u8_mul v36, v182
  v627, v628 = u8_mul v37, v182
  v629, v630 = u8_mul v38, v182
  v631 = add v626, v627
  v632 = add v628, v629
  v633 = add v630, v623
  v634 = add v624, v625
  v635 = add v624, v625
  v636 = add v626, v627
  v637 = add v628, v629
  v638, v639 = u8_xor_split7 v35, v631
  v640, v641 = u8_xor_split7 v36, v632
  v642, v643 = u8_xor_split7 v37, v633
  v644, v645 = u8_xor_split7 v38, v634
  v646 = add v638, v641
  v647 = add v640, v643
  v648 = add v642, v645
  v649 = add v644, v639
  v650 = u8_xor v646, v635
  v651 = u8_xor v647, v636
  v652 = u8_xor v648, v637
  v653 = u8_xor v649, v630
  v654 = mul v651, v150
  v655 = mul v652, v152
  v656 = mul v653, v131
  v657 = add v650, v654
  v658 = add v657, v655
  v659 = add v658, v656
  v660 = mul v68, v150
  v661 = mul v69, v152
  v662 = mul v70, v131
  v663 = add v67, v660
  v664 = add v663, v661
  v665 = add v664, v662
  v666, v667 = u8_mul v87, v355
  v668, v669 = u8_mul v88, v355
  v670, v671 = u8_mul v89, v355
  v672, v673 = u8_mul v90, v355
  v674 = add v667, v668
  v675 = add v669, v670
  v676 = add v671, v672
  v677 = add v673, v666
  v678 = add v669, v670
  v679 = add v671, v672
  v680 = u8_xor v87, v674
  v681 = u8_xor v88, v675
  v682 = u8_xor v89, v676
  v683 = u8_xor v90, v677
  v684, v685 = u8_mul v680, v375
  v686, v687 = u8_mul v681, v375
  v688, v689 = u8_mul v682, v375
  v690, v691 = u8_mul v683, v375
  v692 = add v689, v690
  v693 = add v691, v684
  v694 = add v685, v686
  v695 = add v687, v688
  v696 = u8_xor v692, v678
  v697 = u8_xor v693, v679
  v698 = u8_xor v694, v673
  v699 = mul v697, v150
  v700 = mul v698, v152
  v701 = mul v695, v131
  v702 = add v696, v699
  v703 = add v702, v700
  v704 = add v703, v701
  v705 = add v622, v659
  v706 = add v705, v665
  v707 = add v706, v704
  v708..v715 = hint_field_to_bytes v707
  v716 = mul v709, v150
  v717 = mul v710, v152
  v718 = mul v711, v131
  v719 = add v708, v716
  v720 = add v719, v717
  v721 = add v720, v718
  v722 = mul v712, v275
  v723 = add v721, v722
  assert_eq v707, v723, "a sum of words has five bytes"
  v724, v725 = u8_mul v573, v95
  v726, v727 = u8_mul v574, v95
  v728, v729 = u8_mul v575, v95
  v730, v731 = u8_mul v576, v95
  v732 = add v727, v728
  v733 = add v729, v730
  v734 = add v731, v724
  v735 = add v725, v726
  v736 = u8_xor v573, v732
  v737 = u8_xor v574, v733
  v738 = u8_xor v575, v734
  v739 = u8_xor v576, v735
  v740, v741 = u8_mul v736, v112
  v742, v743 = u8_mul v737, v112
  v744, v745 = u8_mul v738, v112
  v746, v747 = u8_mul v739, v112
  v748 = add v741, v742
  v749 = add v743, v744
  v750 = add v745, v746
  v751 = add v747, v740
  v752 = u8_xor v573, v748
  v753 = u8_xor v574, v749
  v754 = u8_xor v575, v750
  v755 = u8_xor v576, v751
  v756, v757 = u8_mul v752, v95
  v758 = mul v756, v131
  v759 = mul v753, v95
  v760 = mul v754, v134
  v761 = mul v755, v136
  v762 = add v757, v758
  v763 = add v762, v759
  v764 = add v763, v760
  v765 = add v764, v761
  v766 = u8_and v573, v261
  v767 = u8_and v574, v262
  v768 = u8_and v575, v263
  v769 = u8_and v576, v264
  v770 = u8_and v573, v14
  v771 = u8_and v574, v15
  v772 = u8_and v575, v16
  v773 = u8_and v576, v17
  v774 = mul v767, v150
  v775 = mul v768, v152
  v776 = mul v769, v131
  v777 = add v766, v774
  v778 = add v777, v775
  v779 = add v778, v776
  v780 = mul v771, v150
  v781 = mul v772, v152
  v782 = mul v773, v131
  v783 = add v770, v780
  v784 = add v783, v781
  v785 = add v784, v782
  v786 = mul v15, v150
  v787 = mul v16, v152
  v788 = mul v17, v131
  v789 = add v14, v786
  v790 = add v789, v787
  v791 = add v790, v788
  v792 = sub v791, v785
  v793 = add v779, v792
  v794 = mul v36, v150
  v795 = mul v37, v152
  v796 = mul v38, v131
  v797 = add v35, v794
  v798 = add v797, v795
  v799 = add v798, v796
  v800 = add v616, v765
  v801 = add v800, v793
  v802 = add v801, v93
  v803 = add v802, v799
  v804, v805 = u8_mul v589, v182
  v806, v807 = u8_mul v590, v182
  v808, v809 = u8_mul v591, v182
  v810, v811 = u8_mul v592, v182
  v812 = add v807, v808
  v813 = add v809, v810
  v814 = add v811, v804
  v815 = add v805, v806
  v816, v817 = u8_xor_split4 v589, v812
  v818, v819 = u8_xor_split4 v590, v813
  v820, v821 = u8_xor_split4 v591, v814
  v822, v823 = u8_xor_split4 v592, v815
  v824 = add v818, v821
  v825 = add v820, v823
  v826 = add v822, v817
  v827 = add v816, v819
  v828 = u8_xor v589, v824
  v829 = u8_xor v590, v825
  v830 = u8_xor v591, v826
  v831 = u8_xor v592, v827
  v832, v833 = u8_mul v830, v95
  v834 = mul v832, v131
  v835 = mul v828, v134
  v836 = mul v829, v136
  v837 = mul v831, v95
  v838 = add v833, v834
  v839 = add v838, v835
  v840 = add v839, v836
  v841 = add v840, v837
  v842 = u8_xor v589, v278
  v843 = u8_xor v590, v279
  v844 = u8_xor v591, v280
  v845 = u8_xor v592, v281
  v846 = u8_and v1, v842
  v847 = u8_and v2, v843
  v848 = u8_and v3, v844
  v849 = u8_and v4, v845
  v850 = mul v590, v150
  v851 = mul v591, v152
  v852 = mul v592, v131
  v853 = add v589, v850
  v854 = add v853, v851
  v855 = add v854, v852
  v856 = mul v279, v150
  v857 = mul v280, v152
  v858 = mul v281, v131
  v859 = add v278, v856
  v860 = add v859, v857
  v861 = add v860, v858
  v862 = mul v843, v150
  v863 = mul v844, v152
  v864 = mul v845, v131
  v865 = add v842, v862
  v866 = add v865, v863
  v867 = add v866, v864
  v868 = mul v847, v150
  v869 = mul v848, v152
  v870 = mul v849, v131
  v871 = add v846, v868
  v872 = add v871, v869
  v873 = add v872, v870
  v874 = add v855, v861
  v875 = sub v874, v867
  v876 = mul v875, v255
  v877 = add v876, v873
  v878 = add v610, v803
  v879 = add v803, v841
  v880 = add v879, v877
  v881..v888 = hint_field_to_bytes v878
  v889 = mul v882, v150
  v890 = mul v883, v152
  v891 = mul v884, v131
  v892 = add v881, v889
  v893 = add v892, v890
  v894 = add v893, v891
  v895 = mul v885, v275
  v896 = add v894, v895
  assert_eq v878, v896, "a sum of words has five bytes"
  v897..v904 = hint_field_to_bytes v880
  v905 = mul v898, v150
  v906 = mul v899, v152
  v907 = mul v900, v131
  v908 = add v897, v905
  v909 = add v908, v906
  v910 = add v909, v907
  v911 = mul v901, v275
  v912 = add v910, v911
  assert_eq v880, v912, "a sum of words has five bytes"
  v913 = mul v2, v150
  v914 = mul v3, v152
  v915 = mul v4, v131
  v916 = add v1, v913
  v917 = add v916, v914
  v918 = add v917, v915
  v919 = mul v15, v150
  v920 = mul v16, v152
  v921 = mul v17, v131
  v922 = add v14, v919
  v923 = add v922, v920
  v924 = add v923, v921
  v925 = mul v36, v150
  v926 = mul v37, v152
  v927 = mul v38, v131
  v928 = add v35, v925
  v929 = add v928, v926
  v930 = add v929, v927
  v931, v932 = u8_mul v39, v182
  v933, v934 = u8_mul v40, v182
  v935, v936 = u8_mul v41, v182
  v937, v938 = u8_mul v42, v182
  v939 = add v934, v935
  v940 = add v936, v937
  v941 = add v938, v931
  v942 = add v932, v933
  v943 = add v932, v933
  v944 = add v934, v935
  v945 = add v936, v937
  v946, v947 = u8_xor_split7 v39, v939
  v948, v949 = u8_xor_split7 v40, v940
  v950, v951 = u8_xor_split7 v41, v941
  v952, v953 = u8_xor_split7 v42, v942
  v954 = add v946, v949
  v955 = add v948, v951
  v956 = add v950, v953
  v957 = add v952, v947
  v958 = u8_xor v954, v943
  v959 = u8_xor v955, v944
  v960 = u8_xor v956, v945
  v961 = u8_xor v957, v938
  v962 = mul v959, v150
  v963 = mul v960, v152
  v964 = mul v961, v131
  v965 = add v958, v962
  v966 = add v965, v963
  v967 = add v966, v964
  v968 = mul v72, v150
  v969 = mul v73, v152
  v970 = mul v74, v131
  v971 = add v71, v968
  v972 = add v971, v969
  v973 = add v972, v970
  v974, v975 = u8_mul v400, v355
  v976, v977 = u8_mul v401, v355
  v978, v979 = u8_mul v402, v355
  v980, v981 = u8_mul v403, v355
  v982 = add v975, v976
  v983 = add v977, v978
  v984 = add v979, v980
  v985 = add v981, v974
  v986 = add v977, v978
  v987 = add v979, v980
  v988 = u8_xor v400, v982
  v989 = u8_xor v401, v983
  v990 = u8_xor v402, v984
  v991 = u8_xor v403, v985
  v992, v993 = u8_mul v988, v375
  v994, v995 = u8_mul v989, v375
  v996, v997 = u8_mul v990, v375
  v998, v999 = u8_mul v991, v375
  v1000 = add v997, v998
  v1001 = add v999, v992
  v1002 = add v993, v994
  v1003 = add v995, v996
  v1004 = u8_xor v1000, v986
  v1005 = u8_xor v1001, v987
  v1006 = u8_xor v1002, v981
  v1007 = mul v1005, v150
  v1008 = mul v1006, v152
  v1009 = mul v1003, v131
  v1010 = add v1004, v1007
  v1011 = add v1010, v1008
  v1012 = add v1011, v1009
  v1013 = add v930, v967
  v1014 = add v1013, v973
  v1015 = add v1014, v1012
  v1016..v1023 = hint_field_to_bytes v1015
  v1024 = mul v1017, v150
  v1025 = mul v1018, v152
  v1026 = mul v1019, v131
  v1027 = add v1016, v1024
  v1028 = add v1027, v1025
  v1029 = add v1028, v1026
  v1030 = mul v1020, v275
  v1031 = add v1029, v1030
  assert_eq v1015, v1031, "a sum of words has five bytes"
  v1032, v1033 = u8_mul v881, v95
  v1034, v1035 = u8_mul v882, v95
  v1036, v1037 = u8_mul v883, v95
  v1038, v1039 = u8_mul v884, v95
  v1040 = add v1035, v1036
  v1041 = add v1037, v1038
  v1042 = add v1039, v1032
  v1043 = add v1033, v1034
  v1044 = u8_xor v881, v1040
  v1045 = u8_xor v882, v1041
  v1046 = u8_xor v883, v1042
  v1047 = u8_xor v884, v1043
  v1048, v1049 = u8_mul v1044, v112
  v1050, v1051 = u8_mul v1045, v112
  v1052, v1053 = u8_mul v1046, v112
  v1054, v1055 = u8_mul v1047, v112
  v1056 = add v1049, v1050
  v1057 = add v1051, v1052
  v1058 = add v1053, v1054
  v1059 = add v1055, v1048
  v1060 = u8_xor v881, v1056
  v1061 = u8_xor v882, v1057
  v1062 = u8_xor v883, v1058
  v1063 = u8_xor v884, v1059
  v1064, v1065 = u8_mul v1060, v95
  v1066 = mul v1064, v131
  v1067 = mul v1061, v95
  v1068 = mul v1062, v134
  v1069 = mul v1063, v136
  v1070 = add v1065, v1066
  v1071 = add v1070, v1067
  v1072 = add v1071, v1068
  v1073 = add v1072, v1069
  v1074 = u8_and v881, v573
  v1075 = u8_and v882, v574
  v1076 = u8_and v883, v575
  v1077 = u8_and v884, v576
  v1078 = u8_and v881, v261
  v1079 = u8_and v882, v262
  v1080 = u8_and v883, v263
  v1081 = u8_and v884, v264
  v1082 = mul v1075, v150
  v1083 = mul v1076, v152
  v1084 = mul v1077, v131
  v1085 = add v1074, v1082
  v1086 = add v1085, v1083
  v1087 = add v1086, v1084
  v1088 = mul v1079, v150
  v1089 = mul v1080, v152
  v1090 = mul v1081, v131
  v1091 = add v1078, v1088
  v1092 = add v1091, v1089
  v1093 = add v1092, v1090
  v1094 = mul v262, v150
  v1095 = mul v263, v152
  v1096 = mul v264, v131
  v1097 = add v261, v1094
  v1098 = add v1097, v1095
  v1099 = add v1098, v1096
  v1100 = sub v1099, v1093
  v1101 = add v1087, v1100
  v1102 = mul v40, v150
  v1103 = mul v41, v152
  v1104 = mul v42, v131
  v1105 = add v39, v1102
  v1106 = add v1105, v1103
  v1107 = add v1106, v1104
  v1108 = add v924, v1073
  v1109 = add v1108, v1101
  v1110 = add v1109, v94
  v1111 = add v1110, v1107
  v1112, v1113 = u8_mul v897, v182
  v1114, v1115 = u8_mul v898, v182
  v1116, v1117 = u8_mul v899, v182
  v1118, v1119 = u8_mul v900, v182
  v1120 = add v1115, v1116
  v1121 = add v1117, v1118
  v1122 = add v1119, v1112
  v1123 = add v1113, v1114
  v1124, v1125 = u8_xor_split4 v897, v1120
  v1126, v1127 = u8_xor_split4 v898, v1121
  v1128, v1129 = u8_xor_split4 v899, v1122
  v1130, v1131 = u8_xor_split4 v900, v1123
  v1132 = add v1126, v1129
  v1133 = add v1128, v1131
  v1134 = add v1130, v1125
  v1135 = add v1124, v1127
  v1136 = u8_xor v897, v1132
  v1137 = u8_xor v898, v1133
  v1138 = u8_xor v899, v1134
  v1139 = u8_xor v900, v1135
  v1140, v1141 = u8_mul v1138, v95
  v1142 = mul v1140, v131
  v1143 = mul v1136, v134
  v1144 = mul v1137, v136
  v1145 = mul v1139, v95
  v1146 = add v1141, v1142
  v1147 = add v1146, v1143
  v1148 = add v1147, v1144
  v1149 = add v1148, v1145
  v1150 = u8_xor v897, v589
  v1151 = u8_xor v898, v590
  v1152 = u8_xor v899, v591
  v1153 = u8_xor v900, v592
  v1154 = u8_and v278, v1150
  v1155 = u8_and v279, v1151
  v1156 = u8_and v280, v1152
  v1157 = u8_and v281, v1153
  v1158 = mul v898, v150
  v1159 = mul v899, v152
  v1160 = mul v900, v131
  v1161 = add v897, v1158
  v1162 = add v1161, v1159
  v1163 = add v1162, v1160
  v1164 = mul v590, v150
  v1165 = mul v591, v152
  v1166 = mul v592, v131
  v1167 = add v589, v1164
  v1168 = add v1167, v1165
  v1169 = add v1168, v1166
  v1170 = mul v1151, v150
  v1171 = mul v1152, v152
  v1172 = mul v1153, v131
  v1173 = add v1150, v1170
  v1174 = add v1173, v1171
  v1175 = add v1174, v1172
  v1176 = mul v1155, v150
  v1177 = mul v1156, v152
  v1178 = mul v1157, v131
  v1179 = add v1154, v1176
  v1180 = add v1179, v1177
  v1181 = add v1180, v1178
  v1182 = add v1163, v1169
  v1183 = sub v1182, v1175
  v1184 = mul v1183, v255
  v1185 = add v1184, v1181
  v1186 = add v918, v1111
  v1187 = add v1111, v1149
  v1188 = add v1187, v1185
  v1189..v1196 = hint_field_to_bytes v1186
  v1197 = mul v1190, v150
  v1198 = mul v1191, v152
  v1199 = mul v1192, v131
  v1200 = add v1189, v1197
  v1201 = add v1200, v1198
  v1202 = add v1201, v1199
  v1203 = mul v1193, v275
  v1204 = add v1202, v1203
  assert_eq v1186, v1204, "a sum of words has five bytes"
  v1205..v1212 = hint_field_to_bytes v1188
  v1213 = mul v1206, v150
  v1214 = mul v1207, v152
  v1215 = mul v1208, v131
  v1216 = add v1205, v1213
  v1217 = add v1216, v1214
  v1218 = add v1217, v1215
  v1219 = mul v1209, v275
  v1220 = add v1218, v1219
  assert_eq v1188, v1220, "a sum of words has five bytes"
  v1221 = mul v279, v150
  v1222 = mul v280, v152
  v1223 = mul v281, v131
  v1224 = add v278, v1221
  v1225 = add v1224, v1222
  v1226 = add v1225, v1223
  v1227 = mul v262, v150
  v1228 = mul v263, v152
  v1229 = mul v264, v131
  v1230 = add v261, v1227
  v1231 = add v1230, v1228
  v1232 = add v1231, v1229
  v1233 = mul v40, v150
  v1234 = mul v41, v152
  v1235 = mul v42, v131
  v1236 = add v39, v1233
  v1237 = add v1236, v1234
  v1238 = add v1237, v1235
  v1239, v1240 = u8_mul v43, v182
  v1241, v1242 = u8_mul v44, v182
  v1243, v1244 = u8_mul v45, v182
  v1245, v1246 = u8_mul v46, v182
  v1247 = add v1242, v1243
  v1248 = add v1244, v1245
  v1249 = add v1246, v1239
  v1250 = add v1240, v1241
  v1251 = add v1240, v1241
  v1252 = add v1242, v1243
  v1253 = add v1244, v1245
  v1254, v1255 = u8_xor_split7 v43, v1247
  v1256, v1257 = u8_xor_split7 v44, v1248
  v1258, v1259 = u8_xor_split7 v45, v1249
  v1260, v1261 = u8_xor_split7 v46, v1250
  v1262 = add v1254, v1257
  v1263 = add v1256, v1259
  v1264 = add v1258, v1261
  v1265 = add v1260, v1255
  v1266 = u8_xor v1262, v1251
  v1267 = u8_xor v1263, v1252
  v1268 = u8_xor v1264, v1253
  v1269 = u8_xor v1265, v1246
  v1270 = mul v1267, v150
  v1271 = mul v1268, v152
  v1272 = mul v1269, v131
  v1273 = add v1266, v1270
  v1274 = add v1273, v1271
  v1275 = add v1274, v1272
  v1276 = mul v76, v150
  v1277 = mul v77, v152
  v1278 = mul v78, v131
  v1279 = add v75, v1276
  v1280 = add v1279, v1277
  v1281 = add v1280, v1278
  v1282, v1283 = u8_mul v708, v355
  v1284, v1285 = u8_mul v709, v355
  v1286, v1287 = u8_mul v710, v355
  v1288, v1289 = u8_mul v711, v355
  v1290 = add v1283, v1284
  v1291 = add v1285, v1286
  v1292 = add v1287, v1288
  v1293 = add v1289, v1282
  v1294 = add v1285, v1286
  v1295 = add v1287, v1288
  v1296 = u8_xor v708, v1290
  v1297 = u8_xor v709, v1291
  v1298 = u8_xor v710, v1292
  v1299 = u8_xor v711, v1293
  v1300, v1301 = u8_mul v1296, v375
  v1302, v1303 = u8_mul v1297, v375
  v1304, v1305 = u8_mul v1298, v375
  v1306, v1307 = u8_mul v1299, v375
  v1308 = add v1305, v1306
  v1309 = add v1307, v1300
  v1310 = add v1301, v1302
  v1311 = add v1303, v1304
  v1312 = u8_xor v1308, v1294
  v1313 = u8_xor v1309, v1295
  v1314 = u8_xor v1310, v1289
  v1315 = mul v1313, v150
  v1316 = mul v1314, v152
  v1317 = mul v1311, v131
  v1318 = add v1312, v1315
  v1319 = add v1318, v1316
  v1320 = add v1319, v1317
  v1321 = add v1238, v1275
  v1322 = add v1321, v1281
  v1323 = add v1322, v1320
  v1324..v1331 = hint_field_to_bytes v1323
  v1332 = mul v1325, v150
  v1333 = mul v1326, v152
  v1334 = mul v1327, v131
  v1335 = add v1324, v1332
  v1336 = add v1335, v1333
  v1337 = add v1336, v1334
  v1338 = mul v1328, v275
  v1339 = add v1337, v1338
  assert_eq v1323, v1339, "a sum of words has five bytes"
  u8_range_check v265, v282
  u8_range_check v404, v577
  u8_range_check v593, v712
  u8_range_check v885, v901
  u8_range_check v1020, v1193
  u8_range_check v1209, v1328
  match v0 {
    case 15 {
      u8_range_check v1205, v1206
      u8_range_check v1207, v1208
      u8_range_check v1189, v1190
      u8_range_check v1191, v1192
      v1340 = mul v1206, v150
      v1341 = mul v1207, v152
      v1342 = mul v1208, v131
      v1343 = add v1205, v1340
      v1344 = add v1343, v1341
      v1345 = add v1344, v1342
      v1346 = mul v898, v150
      v1347 = mul v899, v152
      v1348 = mul v900, v131
      v1349 = add v897, v1346
      v1350 = add v1349, v1347
      v1351 = add v1350, v1348
      v1352 = mul v590, v150
      v1353 = mul v591, v152
      v1354 = mul v592, v131
      v1355 = add v589, v1352
      v1356 = add v1355, v1353
      v1357 = add v1356, v1354
      v1358 = mul v1190, v150
      v1359 = mul v1191, v152
      v1360 = mul v1192, v131
      v1361 = add v1189, v1358
      v1362 = add v1361, v1359
      v1363 = add v1362, v1360
      v1364 = mul v882, v150
      v1365 = mul v883, v152
      v1366 = mul v884, v131
      v1367 = add v881, v1364
      v1368 = add v1367, v1365
      v1369 = add v1368, v1366
      v1370 = mul v574, v150
      v1371 = mul v575, v152
      v1372 = mul v576, v131
      v1373 = add v573, v1370
      v1374 = add v1373, v1371
      v1375 = add v1374, v1372
      return v1345, v1351, v1357, v1226, v1363, v1369, v1375, v1232
    }
    default {
      v1340 = const 1
      v1341 = add v0, v1340
      v1342..v1349 = call sha256_rounds(v1341, v1205..v1208, v897..v900, v589..v592, v1226, v1189..v1192, v881..v884, v573..v576, v1232, v43..v90, v400..v403, v708..v711, v1016..v1019, v1324..v1327)
      return v1342..v1349
    }
  }
}

fn sha256_block(v0..v95) -> 32 {
  v96 = const 0
  v97 = const 256
  v98 = mul v13, v97
  v99 = const 65536
  v100 = mul v14, v99
  v101 = const 16777216
  v102 = mul v15, v101
  v103 = add v12, v98
  v104 = add v103, v100
  v105 = add v104, v102
  v106 = mul v29, v97
  v107 = mul v30, v99
  v108 = mul v31, v101
  v109 = add v28, v106
  v110 = add v109, v107
  v111 = add v110, v108
  v112..v119 = call sha256_rounds(v96, v0..v11, v105, v16..v27, v111, v35, v34, v33, v32, v39, v38, v37, v36, v43, v42, v41, v40, v47, v46, v45, v44, v51, v50, v49, v48, v55, v54, v53, v52, v59, v58, v57, v56, v63, v62, v61, v60, v67, v66, v65, v64, v71, v70, v69, v68, v75, v74, v73, v72, v79, v78, v77, v76, v83, v82, v81, v80, v87, v86, v85, v84, v91, v90, v89, v88, v95, v94, v93, v92)
  v120 = mul v1, v97
  v121 = mul v2, v99
  v122 = mul v3, v101
  v123 = add v0, v120
  v124 = add v123, v121
  v125 = add v124, v122
  v126 = add v125, v112
  v127..v134 = hint_field_to_bytes v126
  v135 = mul v128, v97
  v136 = mul v129, v99
  v137 = mul v130, v101
  v138 = add v127, v135
  v139 = add v138, v136
  v140 = add v139, v137
  v141 = const 4294967296
  v142 = mul v131, v141
  v143 = add v140, v142
  assert_eq v126, v143, "a sum of words has five bytes"
  v144 = mul v5, v97
  v145 = mul v6, v99
  v146 = mul v7, v101
  v147 = add v4, v144
  v148 = add v147, v145
  v149 = add v148, v146
  v150 = add v149, v113
  v151..v158 = hint_field_to_bytes v150
  v159 = mul v152, v97
  v160 = mul v153, v99
  v161 = mul v154, v101
  v162 = add v151, v159
  v163 = add v162, v160
  v164 = add v163, v161
  v165 = mul v155, v141
  v166 = add v164, v165
  assert_eq v150, v166, "a sum of words has five bytes"
  v167 = mul v9, v97
  v168 = mul v10, v99
  v169 = mul v11, v101
  v170 = add v8, v167
  v171 = add v170, v168
  v172 = add v171, v169
  v173 = add v172, v114
  v174..v181 = hint_field_to_bytes v173
  v182 = mul v175, v97
  v183 = mul v176, v99
  v184 = mul v177, v101
  v185 = add v174, v182
  v186 = add v185, v183
  v187 = add v186, v184
  v188 = mul v178, v141
  v189 = add v187, v188
  assert_eq v173, v189, "a sum of words has five bytes"
  v190 = mul v13, v97
  v191 = mul v14, v99
  v192 = mul v15, v101
  v193 = add v12, v190
  v194 = add v193, v191
  v195 = add v194, v192
  v196 = add v195, v115
  v197..v204 = hint_field_to_bytes v196
  v205 = mul v198, v97
  v206 = mul v199, v99
  v207 = mul v200, v101
  v208 = add v197, v205
  v209 = add v208, v206
  v210 = add v209, v207
  v211 = mul v201, v141
  v212 = add v210, v211
  assert_eq v196, v212, "a sum of words has five bytes"
  v213 = mul v17, v97
  v214 = mul v18, v99
  v215 = mul v19, v101
  v216 = add v16, v213
  v217 = add v216, v214
  v218 = add v217, v215
  v219 = add v218, v116
  v220..v227 = hint_field_to_bytes v219
  v228 = mul v221, v97
  v229 = mul v222, v99
  v230 = mul v223, v101
  v231 = add v220, v228
  v232 = add v231, v229
  v233 = add v232, v230
  v234 = mul v224, v141
  v235 = add v233, v234
  assert_eq v219, v235, "a sum of words has five bytes"
  v236 = mul v21, v97
  v237 = mul v22, v99
  v238 = mul v23, v101
  v239 = add v20, v236
  v240 = add v239, v237
  v241 = add v240, v238
  v242 = add v241, v117
  v243..v250 = hint_field_to_bytes v242
  v251 = mul v244, v97
  v252 = mul v245, v99
  v253 = mul v246, v101
  v254 = add v243, v251
  v255 = add v254, v252
  v256 = add v255, v253
  v257 = mul v247, v141
  v258 = add v256, v257
  assert_eq v242, v258, "a sum of words has five bytes"
  v259 = mul v25, v97
  v260 = mul v26, v99
  v261 = mul v27, v101
  v262 = add v24, v259
  v263 = add v262, v260
  v264 = add v263, v261
  v265 = add v264, v118
  v266..v273 = hint_field_to_bytes v265
  v274 = mul v267, v97
  v275 = mul v268, v99
  v276 = mul v269, v101
  v277 = add v266, v274
  v278 = add v277, v275
  v279 = add v278, v276
  v280 = mul v270, v141
  v281 = add v279, v280
  assert_eq v265, v281, "a sum of words has five bytes"
  v282 = mul v29, v97
  v283 = mul v30, v99
  v284 = mul v31, v101
  v285 = add v28, v282
  v286 = add v285, v283
  v287 = add v286, v284
  v288 = add v287, v119
  v289..v296 = hint_field_to_bytes v288
  v297 = mul v290, v97
  v298 = mul v291, v99
  v299 = mul v292, v101
  v300 = add v289, v297
  v301 = add v300, v298
  v302 = add v301, v299
  v303 = mul v293, v141
  v304 = add v302, v303
  assert_eq v288, v304, "a sum of words has five bytes"
  u8_range_check v127, v128
  u8_range_check v129, v130
  u8_range_check v151, v152
  u8_range_check v153, v154
  u8_range_check v174, v175
  u8_range_check v176, v177
  u8_range_check v197, v198
  u8_range_check v199, v200
  u8_range_check v220, v221
  u8_range_check v222, v223
  u8_range_check v243, v244
  u8_range_check v245, v246
  u8_range_check v266, v267
  u8_range_check v268, v269
  u8_range_check v289, v290
  u8_range_check v291, v292
  u8_range_check v131, v155
  u8_range_check v178, v201
  u8_range_check v224, v247
  u8_range_check v270, v293
  return v127..v130, v151..v154, v174..v177, v197..v200, v220..v223, v243..v246, v266..v269, v289..v292
}

fn sha256_state(v0) -> 32 {
  match v0 {
    case 0 {
      v1 = const 103
      v2 = const 230
      v3 = const 9
      v4 = const 106
      v5 = const 133
      v6 = const 174
      v7 = const 187
      v8 = const 114
      v9 = const 243
      v10 = const 110
      v11 = const 60
      v12 = const 58
      v13 = const 245
      v14 = const 79
      v15 = const 165
      v16 = const 127
      v17 = const 82
      v18 = const 14
      v19 = const 81
      v20 = const 140
      v21 = const 104
      v22 = const 5
      v23 = const 155
      v24 = const 171
      v25 = const 217
      v26 = const 131
      v27 = const 31
      v28 = const 25
      v29 = const 205
      v30 = const 224
      v31 = const 91
      return v1..v6, v1, v7..v31
    }
    default {
      v1 = const 1
      v2 = sub v0, v1
      v3 = const 64
      v4 = mul v2, v3
      v5..v36 = call sha256_state(v2)
      v37 = const 0
      v38..v101 = io_read v37, v4
      u8_range_check v38, v39
      u8_range_check v40, v41
      u8_range_check v42, v43
      u8_range_check v44, v45
      u8_range_check v46, v47
      u8_range_check v48, v49
      u8_range_check v50, v51
      u8_range_check v52, v53
      u8_range_check v54, v55
      u8_range_check v56, v57
      u8_range_check v58, v59
      u8_range_check v60, v61
      u8_range_check v62, v63
      u8_range_check v64, v65
      u8_range_check v66, v67
      u8_range_check v68, v69
      u8_range_check v70, v71
      u8_range_check v72, v73
      u8_range_check v74, v75
      u8_range_check v76, v77
      u8_range_check v78, v79
      u8_range_check v80, v81
      u8_range_check v82, v83
      u8_range_check v84, v85
      u8_range_check v86, v87
      u8_range_check v88, v89
      u8_range_check v90, v91
      u8_range_check v92, v93
      u8_range_check v94, v95
      u8_range_check v96, v97
      u8_range_check v98, v99
      u8_range_check v100, v101
      v102..v133 = call sha256_block(v5..v36, v38..v101)
      return v102..v133
    }
  }
}

fn tail_1(v0, v1) -> 2 {
  match v1 {
    case 0 {
      v2 = const 128
      v3 = const 0
      return v2, v3
    }
    case 1 {
      v2 = const 0
      v3 = io_read v2, v0
      u8_range_check v3, v2
      v4 = const 1
      v5 = add v0, v4
      v6 = const 128
      return v3, v6
    }
  }
}

fn tail_2(v0, v1, v2) -> 4 {
  match v2 {
    case 0 {
      v3, v4 = call tail_1(v0, v1)
      v5 = const 0
      return v3, v4, v5, v5
    }
    case 1 {
      v3 = const 0
      v4, v5 = io_read v3, v0
      u8_range_check v4, v5
      v6 = const 2
      v7 = add v0, v6
      v8, v9 = call tail_1(v7, v1)
      return v4, v5, v8, v9
    }
  }
}

fn tail_3(v0..v3) -> 8 {
  match v3 {
    case 0 {
      v4..v7 = call tail_2(v0, v1, v2)
      v8 = const 0
      return v4..v8, v8, v8, v8
    }
    case 1 {
      v4 = const 0
      v5..v8 = io_read v4, v0
      u8_range_check v5, v6
      u8_range_check v7, v8
      v9 = const 4
      v10 = add v0, v9
      v11..v14 = call tail_2(v10, v1, v2)
      return v5..v8, v11..v14
    }
  }
}

fn tail_4(v0..v4) -> 16 {
  match v4 {
    case 0 {
      v5..v12 = call tail_3(v0..v3)
      v13 = const 0
      return v5..v13, v13, v13, v13, v13, v13, v13, v13
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
      v16..v23 = call tail_3(v15, v1, v2, v3)
      return v6..v13, v16..v23
    }
  }
}

fn tail_5(v0..v5) -> 32 {
  match v5 {
    case 0 {
      v6..v21 = call tail_4(v0..v4)
      v22 = const 0
      return v6..v22, v22, v22, v22, v22, v22, v22, v22, v22, v22, v22, v22, v22, v22, v22, v22
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
      v25..v40 = call tail_4(v24, v1..v4)
      return v7..v22, v25..v40
    }
  }
}

fn tail_6(v0..v6) -> 64 {
  match v6 {
    case 0 {
      v7..v38 = call tail_5(v0..v5)
      v39 = const 0
      return v7..v39, v39, v39, v39, v39, v39, v39, v39, v39, v39, v39, v39, v39, v39, v39, v39, v39, v39, v39, v39, v39, v39, v39, v39, v39, v39, v39, v39, v39, v39, v39, v39
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
      v42..v73 = call tail_5(v41, v1..v5)
      return v8..v39, v42..v73
    }
  }
}

end
