/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stats.h: the counters of a port, SIB_STAT(identifier, name in the debugfs file "stats"). Included
 * wherever something is made of the list, so there is no guard.
 */

/* Packets; bytes from the LRH to the ICRC. */
SIB_STAT(TX_PACKETS, "tx_packets")
SIB_STAT(TX_BYTES, "tx_bytes")
SIB_STAT(RX_PACKETS, "rx_packets")
SIB_STAT(RX_BYTES, "rx_bytes")
SIB_STAT(TX_UCAST, "tx_unicast")
SIB_STAT(TX_MCAST, "tx_multicast")
SIB_STAT(RX_UCAST, "rx_unicast")
SIB_STAT(RX_MCAST, "rx_multicast")

/* Not sent, not let through. */
SIB_STAT(TX_DISCARD, "tx_discards")
SIB_STAT(LINK_DOWNED, "link_downed")
SIB_STAT(VL15_DROPPED, "vl15_dropped")
SIB_STAT(RELAY_ERROR, "relay_errors")

/*
 * Broken frames: too short, of another wire version, of an unknown type, with a wrong length, LRH,
 * GRH or BTH, an unknown operation, a wrong check sum, from somebody else than the partner.
 */
SIB_STAT(BAD_SHORT, "bad_short")
SIB_STAT(BAD_VERSION, "bad_version")
SIB_STAT(BAD_TYPE, "bad_type")
SIB_STAT(BAD_LENGTH, "bad_length")
SIB_STAT(BAD_LRH, "bad_lrh")
SIB_STAT(BAD_GRH, "bad_grh")
SIB_STAT(BAD_BTH, "bad_bth")
SIB_STAT(BAD_OPCODE, "bad_opcode")
SIB_STAT(BAD_ICRC, "bad_icrc")
SIB_STAT(BAD_SOURCE, "bad_source")
SIB_STAT(BAD_LINK, "bad_link_frame")
SIB_STAT(BAD_MAD, "bad_mad")

/* Sound packets nobody wants. */
SIB_STAT(DROP_LINK, "drop_link_down")
SIB_STAT(DROP_STATE, "drop_port_state")
SIB_STAT(DROP_LID, "drop_lid")
SIB_STAT(DROP_QP, "drop_no_qp")
SIB_STAT(DROP_QP_STATE, "drop_qp_state")
SIB_STAT(DROP_QP_TYPE, "drop_qp_type")
SIB_STAT(DROP_PKEY, "drop_pkey")
SIB_STAT(DROP_QKEY, "drop_qkey")
SIB_STAT(DROP_NO_WQE, "drop_no_wqe")
SIB_STAT(DROP_MCAST, "drop_no_group")
SIB_STAT(DROP_QUEUE, "drop_queue_full")
SIB_STAT(DROP_RC, "drop_rc")

/* Reliable connections. */
SIB_STAT(RC_RETRANS, "rc_retransmits")
SIB_STAT(RC_TIMEOUT, "rc_timeouts")
SIB_STAT(RC_DUP, "rc_duplicates")
SIB_STAT(RC_SEQ_NAK, "rc_seq_naks")
SIB_STAT(RC_RNR, "rc_rnr_naks")

/* What fault injection did. */
SIB_STAT(FAULT_DROP, "fault_drops")
SIB_STAT(FAULT_CORRUPT, "fault_corruptions")
SIB_STAT(FAULT_DUP, "fault_duplicates")
SIB_STAT(FAULT_DELAY, "fault_delays")
SIB_STAT(FAULT_MAD, "fault_mads")

/* The module itself: traps, link frames, runs of work items (an idle port has none). */
SIB_STAT(TRAPS, "traps_sent")
SIB_STAT(LINK_TX, "link_frames_sent")
SIB_STAT(LINK_RX, "link_frames_heard")
SIB_STAT(LINK_RUNS, "link_work_runs")
SIB_STAT(ENGINE_RUNS, "engine_runs")
