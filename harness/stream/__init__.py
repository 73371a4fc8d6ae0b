"""Streams: which tasks in which order, played one after the other, committed one by one."""
