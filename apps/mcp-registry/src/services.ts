/** Injection tokens of the clients of other services, and of the guarded way to what is none of ours. */
export const ENGINE = Symbol('engine');
/** The engine too, asked to run a tool: it answers only when that has ended. */
export const TRIES = Symbol('engine tries');
export const PYTHON_RUNNER = Symbol('python-runner');
export const VAULT = Symbol('credential-vault');
export const EGRESS = Symbol('egress');
