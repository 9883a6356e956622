import NodeEnvironment from 'jest-environment-node';

/** The process itself, restored to the state in which a spec file found it. */
export default class ProcessEnvironment extends NodeEnvironment {
  #env = { ...process.env };
  #console = globalThis.console;
  #exit = process.exit;

  /** @param {ConstructorParameters<typeof NodeEnvironment>} args */
  constructor(...args) {
    super(...args);
    this.global = globalThis;
  }

  async teardown() {
    globalThis.console = this.#console;
    process.exit = this.#exit;
    for (const name of Object.keys(process.env)) if (!(name in this.#env)) delete process.env[name];
    Object.assign(process.env, this.#env);
    // Left by the framework: the next file sets handlers of its own.
    Reflect.deleteProperty(globalThis, Symbol.for('EVENT_HANDLERS'));
  }

  getVmContext() {
    return null;
  }
}
