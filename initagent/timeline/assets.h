/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assets: style sheets and script, the files beside this one; each ends with a zero byte. */
#pragma once

extern const char asset_chart_css[], asset_page_css[], asset_page_js[];
