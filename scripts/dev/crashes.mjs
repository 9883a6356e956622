import { say } from '../launcher/say.mjs';
import { lastLines, logFileOf } from '../launcher/service-process.mjs';

const LINES = 15;

/**
 * Shows why a process ended. Shown once per process, since one that does not start is restarted again and again.
 * @param {string} dataDir
 */
export function shownCrashes(dataDir) {
  /** @type {Set<string>} */
  const shown = new Set();
  return {
    /** @param {string} name */
    show(name) {
      if (shown.has(name)) return;
      shown.add(name);
      const log = logFileOf(dataDir, name);
      say(`${name} exited unexpectedly. The last lines of ${log}:\n${lastLines(log, LINES)}`);
    },
    /** Its code has changed, so its next crash is shown again. @param {string} name */
    forget: (name) => void shown.delete(name),
  };
}
