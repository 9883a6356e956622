/** A Python tool of that name. */
export const pythonSource = (name: string, body = 'return 1'): string =>
  `def ${name}() -> int:\n    "A number."\n    ${body}\n`;
