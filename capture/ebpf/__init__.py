"""Probes in the kernel: precompiled programs, loaded by pure Python over bpf(2), or by bcc where a site wants that."""
