"""The answer page: one self-contained HTML document, made from answers and their traces."""
