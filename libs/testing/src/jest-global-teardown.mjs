const KEY = Symbol.for('gatehouse.test.stores');

/**
 * Jest loads setup and teardown as separate modules, so what one leaves for the other is attached to the process.
 * @param {() => Promise<void>} stop
 */
export function keepForTeardown(stop) {
  Reflect.set(globalThis, KEY, stop);
}

/** Stops what the global setup started, and deletes its data. */
export default async function teardown() {
  const stop = Reflect.get(globalThis, KEY);
  if (typeof stop === 'function') await stop();
}
