"""What runs inside a sandbox child beside the tools themselves. Nothing here is a wall: the process around it is."""
