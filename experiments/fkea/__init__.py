"""The FKEA paper: diversity scores through random Fourier features."""
