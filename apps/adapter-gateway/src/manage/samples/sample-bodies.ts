import type { Manifest } from '#libs/adapter-sdk';
import type { InboundRequest } from '#libs/contracts';
import { type Principal, holds, Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { INGRESS } from '../../env.js';
import type { AvailableSampleView, SendSample } from './sample.dto.js';
import { manifestHeaders } from './sample-headers.js';

/** Body and headers of a sample, before it is signed. */
export interface SampleBody {
  body: string;
  headers: Record<string, string>;
}

/** Headers of a stored request that its client or a proxy added, or that signed it: a sample is signed anew. */
const notResent =
  /^(host|connection|content-length|transfer-encoding|accept-encoding|x-forwarded-.*|x-real-ip|forwarded|via|authorization|cookie|idempotency-key|webhook-(id|timestamp|signature)|.*signature.*)$/;

/** Finds the body of a sample: typed, of a stored event, or the manifest's. */
@Injectable()
export class SampleBodies {
  constructor(@Inject(INGRESS) private readonly ingress: ServiceClient) {}

  /**
   * @throws Problem 422 `sample_ambiguous | sample_needed | no_such_sample | body_not_text`; 403 `scope_missing`; 404
   */
  async of(caller: Principal, manifest: Manifest | null, asked: SendSample): Promise<SampleBody> {
    const given = [asked.body, asked.event_id, asked.event_type].filter((one) => one !== undefined);
    if (given.length > 1) {
      throw new Problem(422, 'sample_ambiguous', 'Give only one of body, event_id and event_type.');
    }
    if (asked.body !== undefined) return { body: asked.body, headers: {} };
    if (asked.event_id !== undefined) return this.stored(caller, asked.event_id);
    const samples = samplesOf(manifest);
    const wanted = asked.event_type;
    const sample = wanted === undefined ? samples[0] : samples.find(({ event_type: type }) => type === wanted);
    if (sample) return { body: sample.body, headers: sample.headers };
    throw wanted === undefined
      ? new Problem(
          422,
          'sample_needed',
          'The manifest gives no sample: send a body, or the event_id of a stored event.',
        )
      : new Problem(
          422,
          'no_such_sample',
          `There is no sample of ${wanted}: send a body, or the id of a stored event.`,
        );
  }

  private async stored(caller: Principal, eventId: string): Promise<SampleBody> {
    if (!holds(caller.scopes, 'events:read_body')) {
      throw new Problem(403, 'scope_missing', 'Sending a stored event again needs the scope events:read_body.');
    }
    const path = `/internal/receipts/${encodeURIComponent(eventId)}`;
    const { request } = await this.ingress.get<{ request: InboundRequest }>(path, caller);
    if (request.body_encoding !== 'utf8') {
      throw new Problem(
        422,
        'body_not_text',
        'The body of that event is not UTF-8 text, so it cannot be sent as a sample.',
      );
    }
    const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
      notResent.test(name) ? [] : [[name, [value].flat().join(', ')]],
    );
    return { body: request.body, headers: Object.fromEntries(headers) };
  }
}

/** The samples that a manifest gives; for the built-in Webhook app, one that the Chief of Staff answers. */
export function samplesOf(manifest: Manifest | null): AvailableSampleView[] {
  if (manifest === null)
    return [{ event_type: 'sample', description: 'A greeting, for the Chief of Staff', headers: {}, body: greeting() }];
  return (manifest.events ?? []).flatMap(({ type, description = null, sample, sample_headers: headers }) =>
    sample === undefined
      ? []
      : [
          {
            event_type: type,
            description,
            headers: manifestHeaders(headers),
            body: typeof sample === 'string' ? sample : JSON.stringify(sample),
          },
        ],
  );
}

/** With a random value, so that two of them are two messages. */
function greeting(): string {
  const metadata = { source: 'gatehouse', event_type: 'sample', sample: randomUUID().slice(0, 8) };
  return JSON.stringify({ task: 'Hello! Say in one sentence what you can do.', metadata });
}
