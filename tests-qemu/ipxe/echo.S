/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * echo: the smallest Linux kernel by its boot protocol (Documentation/arch/x86/boot.rst): in real mode it writes
 * to the serial port what the boot loader gave it and resets the machine. So a test of boot loader scripts sees
 * the exact command line and size of the initrd, a blink after "boot".
 */
	.code16
	.text
start:
	.org 0x1f1
	.byte 1			/* setup_sects: real-mode code beyond the first sector */
	.word 0
	.long 1			/* syssize, in 16 bytes */
	.word 0, 0, 0
	.word 0xaa55
	.org 0x200
	jmp main
	.ascii "HdrS"
	.word 0x020c		/* protocol 2.12 */
	.long 0
	.word 0, 0
	.byte 0, 1		/* type_of_loader; loadflags: loaded high */
	.word 0
	.long 0x100000		/* code32_start */
	.org 0x218
	.long 0			/* ramdisk_image */
ramdisk_size:
	.long 0
	.long 0
	.word 0
	.byte 0, 0
	.org 0x228
cmd_line_ptr:
	.long 0
	.long 0x7fffffff	/* initrd_addr_max */
	.long 0x100000
	.byte 0, 0
	.word 0
	.long 2047		/* cmdline_size */
	.org 0x280

/* The boot loader jumps to offset 0x200 with all data segments at the first sector. */
main:
	cld
	movw	$text_size - start, %si
	call	put_text
	movl	ramdisk_size - start, %eax
	movw	$8, %cx
1:	roll	$4, %eax
	pushl	%eax
	andb	$15, %al
	cmpb	$10, %al
	sbbb	$0x69, %al	/* the old way from 0-15 to 0-9, A-F */
	das
	call	put_char
	popl	%eax
	loop	1b
	movw	$text_line - start, %si
	call	put_text
	movl	cmd_line_ptr - start, %eax
	movw	%ax, %si
	andw	$15, %si
	shrl	$4, %eax
	movw	%ax, %ds
	call	put_text
	movw	%cs, %ax
	subw	$0x20, %ax
	movw	%ax, %ds
	movw	$text_end - start, %si
	call	put_text
	movb	$0xfe, %al	/* the keyboard controller resets */
	outb	%al, $0x64
2:	hlt
	jmp	2b

put_text:
	lodsb
	testb	%al, %al
	jz	3f
	call	put_char
	jmp	put_text
3:	ret

/* One character to COM1, when it is ready. */
put_char:
	pushw	%ax
	movw	$0x3fd, %dx
4:	inb	%dx, %al
	testb	$0x20, %al
	jz	4b
	popw	%ax
	movw	$0x3f8, %dx
	outb	%al, %dx
	ret

text_size:
	.asciz	"\r\necho: initrd "
text_line:
	.asciz	" bytes\r\necho: line "
text_end:
	.asciz	"\r\necho: end\r\n"
	.org 0x400
	.fill 16, 1, 0xf4
