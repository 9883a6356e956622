import './boot-errors.js';

/**
 * Loaded before everything else (`node --import`). Until a program handles SIGTERM and SIGINT itself, they end it at
 * once. That also holds for the first process of a container, where the kernel ignores a signal that nobody handles.
 */
for (const [signal, number] of [
  ['SIGTERM', 15],
  ['SIGINT', 2],
] as const) {
  process.on(signal, () => {
    if (process.listenerCount(signal) === 1) process.exit(128 + number);
  });
}
