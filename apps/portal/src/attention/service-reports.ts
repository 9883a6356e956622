import type { AttentionItem, ProjectScope } from '#libs/contracts';
import { isLate, Problem } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import type { NamedClient } from '../services.js';
import { type PortalSettings, SETTINGS } from '../settings.js';

interface Report {
  items: AttentionItem[];
  /** Whether the service itself said so. */
  answered: boolean;
}

/** What the services report, and which of them cannot be asked. */
@Injectable()
export class ServiceReports {
  /** Since when each service has been late with every answer. Of this process: another one asks for itself. */
  private readonly lateSince = new Map<string, number>();

  constructor(@Inject(SETTINGS) private readonly settings: PortalSettings) {}

  /** A service that does not answer is itself an item, and the most severe one. */
  async of({ service, client }: NamedClient, scope: ProjectScope): Promise<Report> {
    const asked = Date.now();
    try {
      const { data } = await client.get<{ data: AttentionItem[] }>('/internal/attention', scope);
      this.lateSince.delete(service);
      return { items: data, answered: true };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (!isLate(error)) return { items: [silent(service, error.detail, null)], answered: false };
      const since = this.lateSince.get(service) ?? asked;
      this.lateSince.set(service, since);
      const isSilent = Date.now() - since >= this.settings.SERVICE_SILENT_MS;
      const item = isSilent ? silent(service, error.detail, since) : slow(service, error.detail, since);
      return { items: [item], answered: false };
    }
  }
}

/** One late answer is no outage: the machine may be busy, and the service works. */
function slow(service: string, detail: string, since: number): AttentionItem {
  return {
    code: 'service_slow',
    severity: 'warning',
    text: `The service ${service} is slow: ${detail} What needs attention there is not listed now.`,
    what_to_do: 'Wait for the next look. If it stays, the machine or its stores are too busy: see its log.',
    resource: { kind: 'service', id: service },
    count: 1,
    since: new Date(since).toISOString(),
    scope: 'events:read',
  };
}

function silent(service: string, detail: string, since: number | null): AttentionItem {
  return {
    code: 'service_silent',
    severity: 'error',
    text: `The service ${service} could not be asked what needs attention: ${detail}`,
    what_to_do: 'Check that it runs, and its log.',
    resource: { kind: 'service', id: service },
    count: 1,
    since: since === null ? null : new Date(since).toISOString(),
    scope: 'events:read',
  };
}
