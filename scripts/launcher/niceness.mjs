import { existsSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * Gives a process that leads its own session its place among the others.
 * @param {number} pid
 * @param {number} niceness from -20 (first: only root may) over 0 (as everybody) to 19 (last)
 */
export function setNiceness(pid, niceness) {
  if (niceness === 0) return;
  try {
    setPriority(pid, niceness);
    // Where Linux groups processes by session, it weighs the groups: a niceness counts within one only.
    const group = `/proc/${pid}/autogroup`;
    if (existsSync(group)) writeFileSync(group, String(niceness));
  } catch (error) {
    // Who is not root goes without what is for root alone.
    if (niceness > 0) throw error;
  }
}
