const KEY = Symbol.for('gatehouse.test.stores');

/**
 * Jest loads setup and teardown as modules of their own, so what one leaves for the other hangs on the process.
 * @param {() => Promise<void>} stop
 */
export function keepForTeardown(stop) {
  Reflect.set(globalThis, KEY, stop);
}

/** Stops what the global setup started and deletes its data. */
export default async function teardown() {
  const stop = Reflect.get(globalThis, KEY);
  if (typeof stop === 'function') await stop();
}
