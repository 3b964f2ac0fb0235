"""Gaussian processes: kernel, posterior, and hyper-parameters sampled by slice sampling."""
