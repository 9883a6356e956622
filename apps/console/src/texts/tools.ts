import { named } from '../drawn/drawn-text.js';

export const toolTexts = {
  title: 'Tools',
  description:
    'What agents can call: built-in tools, tools of MCP servers, and your own in Python. Skills give them to agents.',
  columns: { name: 'Name', source: 'From', grade: 'Grade', state: 'State', description: 'What it does' },
  filters: { name: 'Name', source: 'From', anySource: 'From anywhere', state: 'State', anyState: 'Any state' },
  stateHints: {
    approved: '',
    pending: 'It is new on its server. No model gets it until somebody approves it.',
    changed: 'Its server changed it. Models get the approved definition; calls wait until somebody reviews the change.',
    removed: 'Its server no longer offers it.',
    quarantined: 'Its definition cannot be used. No model gets it.',
  },
  emptyFiltered: { title: 'No tool matches', text: 'Change or clear the filters.' },
  empty: { title: 'No tools yet', text: 'Register an MCP server, or write a tool in Python.' },
  create: 'New Python tool',
  tabs: { tool: 'Tool', try: 'Try it', versions: 'Versions', calls: 'Calls' },
  one: {
    schema: 'Arguments',
    noArguments: 'It takes no arguments.',
    details: 'Details',
    source: 'From',
    server: 'MCP server',
    name: 'Name',
    pin: 'Approved definition',
    credentials: 'Credentials it asks for',
    problem: 'What is wrong with its definition',
    grade: 'Grade',
    gradeHint: 'The most that a call can do. A lower grade needs approvals:manage.',
    trust: 'How far its results are trusted',
    trustHint:
      'What is in a conversation decides what its agent does without asking. More trust needs approvals:manage.',
    trusts: { inherit: 'As its server', untrusted: 'Untrusted', partner: 'A partner', own: 'Your own' },
    trustsPython: { inherit: 'Untrusted, if its code made requests', partner: 'A partner', own: 'Your own' },
    gradeHintMcp:
      'The most that a call can do. It overrides what the server says. A lower grade needs approvals:manage.',
    idempotent: 'Idempotent: calling it twice does no more than once',
    idempotentHint: 'A call whose result was lost may then be made again.',
    effect: 'Used by',
    nobody: 'No agent has it. Add it to a Skill and give the Skill to an agent.',
    agentTools: (count: number) => `${count} ${count === 1 ? 'tool' : 'tools'} in every step`,
  },
  review: {
    title: 'What its server changed',
    newTitle: 'What its server offers',
    field: 'Field',
    approve: 'Approve this definition',
    approving: 'The definition is approved.',
    none: 'Nothing differs any more.',
    lacks: 'To approve it, your role needs tools:write.',
  },
  python: {
    title: 'Source',
    hint: 'One function with type hints and a docstring: they become what the model reads.',
    create: 'Create the tool',
    save: 'Save the source',
    saved: 'Saved. Calls use this source from now on.',
    errors: (count: number) => (count === 1 ? '1 error' : `${count} errors`),
    line: (line: number) => `Line ${line}`,
    remove: 'Delete the tool',
    removeQuestion: 'It is deleted for good, with its versions. This fails while Skills or agents have it.',
    unsaved: 'The source has unsaved changes. The saved source is tried.',
    template: `def greet(name: str) -> str:
    """Greets somebody by name.

    Args:
        name: whom to greet
    """
    print("greeting", name)
    return f"Hello, {name}!"
`,
  },
  try: {
    title: 'Try it',
    hints: {
      read: 'Calls it once, outside a conversation. It only reads, by its grade.',
      write: 'Calls it once, outside a conversation. It may change something, by its grade: the effects are real.',
      destructive:
        'Calls it once, outside a conversation. It may destroy something, by its grade: the effects are real.',
    },
    questions: {
      write: 'It is called for real, with your approval alone. What it changes stays changed.',
      destructive: 'It is called for real, with your approval alone. What it destroys cannot be brought back.',
    },
    go: 'Call it',
    goAsked: 'Call it …',
    goForReal: 'Call it for real',
    asJson: 'As JSON',
    asFields: 'As fields',
    arguments: 'Arguments',
    noJson: 'This is not a JSON object.',
    skill: 'With the credentials of',
    noSkill: 'No credentials',
    result: 'Result',
    failed: 'It failed',
    atLine: (line: number) => `at line ${line}`,
    ok: (ms: number | undefined) => (ms === undefined ? 'It answered' : `It answered in ${Math.round(ms)} ms`),
    stdout: 'What it printed',
    nothingPrinted: 'It printed nothing.',
    truncated: 'Only the beginning is shown; the rest was cut.',
    builtin: 'To try a built-in tool, use an agent that has it.',
    lacks: 'To try it, your role needs tools:write.',
    code: 'Code',
  },
  whyNot: {
    title: 'Why not this tool?',
    agent: 'Agent',
    anyAgent: 'Choose an agent',
    offered: (name: string) => `Its model is given this tool in every step, as ${named(name)}.`,
    notGiven: 'The agent does not have this tool. Add it to one of its Skills, or to the agent.',
  },
  versions: {
    empty: { title: 'No version yet', text: 'Approved and saved versions are listed here.' },
    number: (number: number) => `Version ${number}`,
    by: (by: string) => `by ${named(by)}`,
    current: 'In force',
    difference: 'What changed',
    first: 'The first version.',
    restore: 'Use this source',
  },
  calls: {
    empty: { title: 'Not called yet', text: 'Calls by agents and trial calls are listed here.' },
    columns: { at: 'When', caller: 'Caller', outcome: 'Outcome', took: 'Duration' },
    took: (ms: number) => `${ms} ms`,
  },
  palette: { search: 'Tools', create: 'New Python tool' },
};
