import { existsSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * Sets the priority of a process that leads its own session.
 * @param {number} pid
 * @param {number} niceness from -20 (first; root only) over 0 (the default) to 19 (last)
 */
export function setNiceness(pid, niceness) {
  if (niceness === 0) return;
  try {
    setPriority(pid, niceness);
    // With autogroups, Linux weighs whole sessions against each other; a niceness counts only within one.
    const group = `/proc/${pid}/autogroup`;
    if (existsSync(group)) writeFileSync(group, String(niceness));
  } catch (error) {
    // Without root, raising a priority is not allowed. The process runs without it.
    if (niceness > 0) throw error;
  }
}
