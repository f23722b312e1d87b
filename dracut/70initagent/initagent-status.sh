#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# emergency hook: why the root is not there, on the console where the shell will be.
/usr/sbin/initagent status
