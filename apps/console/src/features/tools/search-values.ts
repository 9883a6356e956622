/** What the list can be narrowed to, and the tabs of a tool, as the URL writes them. */
export const toolSources = ['builtin', 'mcp', 'python'] as const;
export const toolStates = ['approved', 'pending', 'changed', 'removed', 'quarantined'] as const;
export const toolTabs = ['tool', 'try', 'versions', 'calls'] as const;
