"""Pages as they are printed: their pictures, and where on them quoted words stand; made in a process of their own."""
