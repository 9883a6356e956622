import { setTimeout as pause } from 'node:timers/promises';
import { connect } from '../../scripts/launcher/postgres.mjs';
import { fillDisk } from './disk.mjs';
import { startMembers } from './patroni.mjs';

/** @typedef {import('./redis.mjs').Engine} Engine */
/** @typedef {Exclude<Awaited<ReturnType<typeof startMembers>>, {missing: string}>} Members */

const proxyAwayMs = 5_000;
const fullMs = 20_000;
const takenMs = 15_000;
const awayMs = 15_000;
/** Patroni's ttl less its safety margin: a watchdog resets the machine before another takes the lead. */
const watchdogMs = 15_000;

/** @param {Members} of */
async function switchover({ primary, isPrimary, until }) {
  const before = await primary();
  const answer = await fetch(`${before.api}/switchover`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ leader: before.name }),
  });
  if (!answer.ok) throw new Error(`Patroni refuses the switchover: ${await answer.text()}`);
  await until('another is the primary', async () => !(await isPrimary(before)));
}

/** @param {Members} of */
async function fillPrimary({ primary }) {
  await fillDisk((await primary()).home, fullMs);
}

/** Takes every connection that Postgres has for those who are no administrators. @param {Members} of */
async function takeConnections({ url }) {
  const admin = await connect(url);
  await admin.query("DO $$ BEGIN CREATE ROLE hog LOGIN PASSWORD 'hog'; EXCEPTION WHEN duplicate_object THEN END $$");
  const own = new URL(url);
  own.username = 'hog';
  own.password = 'hog';
  const taken = [];
  const end = Date.now() + takenMs;
  while (Date.now() < end) {
    try {
      taken.push(await connect(own.href));
    } catch {
      // All are taken: those that are given back are taken, too.
      await pause(50);
    }
  }
  await Promise.all(taken.map((client) => client.end()));
  await admin.end();
}

/** @param {string} dir @returns {Promise<Engine | {missing: string}>} */
export async function startPatroni(dir) {
  const started = await startMembers(dir);
  if ('missing' in started) return started;
  const { url, haproxy, members, primary, close } = started;
  const disks = members.every(({ isDisk }) => isDisk);
  return {
    name: 'Postgres 15: Patroni of three, etcd, HAProxy',
    env: { DATABASE_URL: url },
    rows: [
      { name: 'switchover', strike: () => switchover(started) },
      {
        name: 'kill -9 of the primary, back after 15 s',
        async strike() {
          const before = await primary();
          await before.kill();
          await pause(awayMs);
          before.start();
          await primary();
        },
      },
      {
        name: 'primary frozen, reset by its watchdog after 15 s',
        async strike() {
          const before = await primary();
          before.freeze();
          await pause(watchdogMs);
          await before.kill();
          before.start();
          await primary();
        },
      },
      {
        name: 'HAProxy away for 5 s',
        async strike() {
          await haproxy.kill();
          await pause(proxyAwayMs);
          haproxy.start();
        },
      },
      ...(disks ? [{ name: "the primary's disk full for 20 s", strike: () => fillPrimary(started) }] : []),
      { name: 'max_connections taken for 15 s', strike: () => takeConnections(started) },
      {
        name: 'all three away for 15 s',
        async strike() {
          await primary();
          await Promise.all(members.map((each) => each.kill()));
          await pause(awayMs);
          for (const each of members) each.start();
          await primary();
        },
      },
    ],
    close,
  };
}
