import type { Database } from '#libs/database';
import type { JobClient } from '#libs/queue';
import type { Principal } from '../principal.js';
import { broken, type Diagnosis, type Finding, unwise, well } from './finding.js';
import { postgresFindings } from './postgres-findings.js';
import { redisFindings } from './redis-findings.js';

/** What a service checks itself, for the caller's organization. */
export type OwnCheck = (caller: Principal) => Promise<Finding[]>;

interface Parts {
  service: string;
  /** Read at boot; only those in `alikeNames` are reported. */
  settings: object;
  database: Database | null;
  jobs: JobClient | null;
}

/** Settings that have to be equal in all services that have them. None is a secret. */
const alikeNames = ['PUBLIC_URL', 'MESSAGE_MAX_DEPTH', 'RETENTION_DAYS'];

/** A service's report on itself, on request: its stores, its clock, its settings, and what it adds. */
export class Diagnoser {
  private readonly own: OwnCheck[] = [];
  private parts: Parts | null = null;

  /** Called once the service is built. */
  of(parts: Parts): void {
    this.parts = parts;
  }

  add(check: OwnCheck): void {
    this.own.push(check);
  }

  async diagnose(caller: Principal): Promise<Diagnosis> {
    if (!this.parts) throw new Error('the service is not built yet');
    const { service, settings, database, jobs } = this.parts;
    const alike = alikeIn(settings);
    const none = Promise.resolve([]);
    const findings = await Promise.all([
      database ? postgresFindings(database) : none,
      jobs ? redisFindings(jobs) : none,
      Promise.resolve(settingFindings(alike['PUBLIC_URL'])),
      ...this.own.map((check) => check(caller).catch((error: unknown) => [failed(error)])),
    ]);
    return {
      service,
      runtime: process.version,
      now: new Date().toISOString(),
      uptime_seconds: Math.round(process.uptime()),
      alike,
      findings: findings.flat(),
    };
  }
}

function alikeIn(settings: object): Record<string, string> {
  const values = Object.entries(settings).filter(([name]) => alikeNames.includes(name));
  return Object.fromEntries(values.map(([name, value]) => [name, String(value)]));
}

function settingFindings(publicUrl: string | undefined): Finding[] {
  if (publicUrl === undefined) return [];
  const { protocol, hostname } = new URL(publicUrl);
  const here = hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
  if (protocol === 'https:' || here) return [well('settings', `PUBLIC_URL is ${publicUrl}.`)];
  const text = `PUBLIC_URL is ${publicUrl}: keys, cookies and requests travel unencrypted.`;
  return [unwise('settings', text, 'Put TLS in front of the portal, and set PUBLIC_URL to its https address.')];
}

const failed = (error: unknown): Finding =>
  broken(
    'services',
    `A check failed: ${error instanceof Error ? error.message : String(error)}`,
    'See the log of the service.',
  );
