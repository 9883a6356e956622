export type { EngineSettings } from './env.js';

/** Injection token of `EngineSettings`. */
export const SETTINGS = Symbol('EngineSettings');

/** Injection tokens for the clients of other services. The router's is `ServiceClient` itself. */
export const VAULT = Symbol('credential-vault');
export const GATEWAY = Symbol('adapter-gateway');
export const REGISTRY = Symbol('mcp-registry');
export const PYTHON_RUNNER = Symbol('python-runner');

/** Injection token of the egress guard for everything that tools call. */
export const EGRESS = Symbol('Egress');
