import { aText, fieldProblems, type JsonObject } from '#libs/adapter-sdk';
import type { ProjectScope } from '#libs/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { type GatewaySettings, SETTINGS } from '../../env.js';
import { AdapterClient } from '../../path/adapters/adapter-client.js';

/** The result of `/health` (spec 2.3). */
export interface Health {
  state: 'ready' | 'unready';
  /** Why it is not ready. */
  state_reason: string | null;
  /** Build identifier; null when there was no answer. */
  version: string | null;
  latency_ms: number | null;
  /** True when it answers as another adapter: the address is wrong, the adapter is not ill. */
  misnamed: boolean;
}

/** Asks an adapter for its health. */
@Injectable()
export class HealthProbe {
  constructor(
    private readonly client: AdapterClient,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {}

  /** @param scope the owner of the adapter */
  async ask(baseUrl: string, slug: string, scope: ProjectScope): Promise<Health> {
    const startMs = performance.now();
    try {
      const health = await this.client.get<JsonObject>(baseUrl, '/health', scope, this.settings.HEALTH_TIMEOUT_MS);
      const problems = fieldProblems(health, { status: aText, version: aText, adapter: aText });
      const violation = problems.map(({ field, message }) => `${field} ${message}`).join('; ');
      if (violation) this.client.showViolation(baseUrl, `/health: ${violation}`);
      const version = typeof health['version'] === 'string' ? shownText(health['version']) : null;
      const reason = reasonOf(health, slug);
      return {
        state: reason ? 'unready' : 'ready',
        state_reason: reason,
        version,
        latency_ms: performance.now() - startMs,
        misnamed: health['adapter'] !== slug,
      };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { state: 'unready', state_reason: reason, version: null, latency_ms: null, misnamed: false };
    }
  }
}

/** All three fields are required (spec 2.3); `unknown` is a version, nothing is none. */
function reasonOf({ adapter, status, version }: JsonObject, slug: string): string | null {
  if (adapter !== slug) return `adapter is ${shown(adapter)}, not ${slug}`;
  if (status !== 'ready') return `status is ${shown(status)}`;
  if (typeof version === 'string' && shownText(version) !== '') return null;
  return `version is ${shown(version)}, not a build identifier such as a commit hash; "unknown" when it has none`;
}

/** Without characters that do not show: some reorder what stands beside them, and Postgres refuses U+0000. */
function shownText(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, '')
    .toWellFormed()
    .trim()
    .slice(0, 200);
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'missing').slice(0, 100);
}
