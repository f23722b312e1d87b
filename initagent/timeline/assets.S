/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assets: see chart.h. The files become part of the program as they are. */
	.section .rodata
	.macro asset name, file
	.global \name
\name:
	.incbin "\file"
	.byte 0
	.endm

	asset asset_chart_css, "initagent/timeline/chart.css"
	asset asset_page_css, "initagent/timeline/page.css"
	asset asset_page_js, "initagent/timeline/page.js"

	.section .note.GNU-stack, "", %progbits
