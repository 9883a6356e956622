/** Words for tools, on every page. */
export const toolWords = {
  grades: { read: 'Reads', write: 'Writes', destructive: 'Destroys' },
  sources: { builtin: 'Built in', mcp: 'MCP', python: 'Python' },
  states: {
    approved: 'Approved',
    pending: 'New',
    changed: 'Changed',
    removed: 'Removed',
    quarantined: 'Quarantined',
  },
} as const;
