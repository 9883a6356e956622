/** The filter values of the list and the tabs of a tool, as in the URL. */
export const toolSources = ['builtin', 'mcp', 'python'] as const;
export const toolStates = ['approved', 'pending', 'changed', 'removed', 'quarantined'] as const;
export const toolTabs = ['tool', 'try', 'versions', 'calls'] as const;
