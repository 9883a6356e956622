import { existsSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * Lets a process that leads its own session give way to others.
 * @param {number} pid
 * @param {number} niceness 0 (as everybody) to 19 (last)
 */
export function setNiceness(pid, niceness) {
  if (niceness === 0) return;
  setPriority(pid, niceness);
  // Where Linux groups processes by session, it weighs the groups: a niceness counts within one only.
  const group = `/proc/${pid}/autogroup`;
  if (existsSync(group)) writeFileSync(group, String(niceness));
}
