"""What people do with conversations beside asking: find, name, change, hand on and delete them."""
