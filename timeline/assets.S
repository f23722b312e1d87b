/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assets: see assets.h. The files become part of the program as they are. */
	.section .rodata
	.macro asset name, file
	.global \name
\name:
	.incbin "\file"
	.byte 0
	.endm

	asset asset_chart_css, "timeline/chart.css"
	asset asset_page_css, "timeline/page.css"
	asset asset_page_js, "timeline/page.js"

	.section .note.GNU-stack, "", %progbits
