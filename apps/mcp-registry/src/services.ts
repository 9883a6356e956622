/** Injection tokens for the clients of other services, and for the guarded egress to everything outside. */
export const ENGINE = Symbol('engine');
/** The engine again, for running a tool: this client waits until the run has ended. */
export const TRIES = Symbol('engine tries');
export const PYTHON_RUNNER = Symbol('python-runner');
export const VAULT = Symbol('credential-vault');
export const EGRESS = Symbol('egress');
