import { notFound, type Principal, Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { templates } from './data/templates.js';
import { openSteps } from './open-steps.js';
import { type CallerApi, ProjectServices } from './project-services.js';
import type { SentTemplateSample, TemplatePartView, TemplateView } from './template.dto.js';
import type { Template, TemplateSample } from './template.js';
import { type Found, type Part, partsOf } from './template-parts.js';
import { type Application, TemplateRepository } from './template.repository.js';

/** The answer of the gateway to a sample. */
interface SentSample {
  event_id: string | null;
  answer: { status: number } | null;
  error: { code: string; detail: string } | null;
}

/**
 * No part is begun after this long. With the calls of the last one it is less than the 30 s for which Postgres keeps the
 * transaction of the lock.
 */
const longestMs = 12_000;

/** Fills projects by templates. All of it goes through the management API with the rights of whoever asks for it. */
@Injectable()
export class TemplateService {
  constructor(
    private readonly services: ProjectServices,
    private readonly applications: TemplateRepository,
  ) {}

  /** @throws Problem 404; 503 when a service does not answer: what is there would look missing */
  async look(caller: Principal, id: string): Promise<TemplateView> {
    const template = templateOf(id);
    const api = this.services.as(caller);
    const found: Found = new Map();
    const parts: TemplatePartView[] = [];
    for (const part of partsOf(template)) parts.push(await lookAt(part, api, found));
    return viewOf(template, api, parts, found);
  }

  /**
   * Makes what is missing, and leaves what is there as it is. A failure ends it: the answer says what was made and what
   * failed, and the same request goes on from there.
   * @throws Problem as `TemplateRepository.apply`; 404
   */
  async apply(caller: Principal, id: string): Promise<TemplateView> {
    const template = templateOf(id);
    const api = this.services.as(caller);
    const found: Found = new Map();
    const { parts } = await this.applications.apply(caller, id, () => makeAll(template, api, found, caller));
    return viewOf(template, api, parts, found);
  }

  /** @param number of the sample, from 1 @throws Problem 404; 409 `template_not_applied` */
  async send(caller: Principal, id: string, number: number): Promise<SentTemplateSample> {
    const template = templateOf(id);
    const sample = template.samples[number - 1];
    if (!sample) throw notFound('sample', number);
    const api = this.services.as(caller);
    const appId = await partsOf(template)
      .find(({ kind }) => kind === 'app')
      ?.look(api, new Map());
    if (!appId) {
      const detail = `The project has no App ${template.app.name}: apply the template first.`;
      throw new Problem(409, 'template_not_applied', detail);
    }
    const { event_id, answer, error } = await api.post<SentSample>(`apps/${appId}/samples`, filled(sample));
    if (event_id !== null) return { event_id, problem: null };
    const refused = { code: 'sample_refused', detail: `The App answered ${answer?.status}: see its refused requests.` };
    return { event_id, problem: error ?? refused };
  }
}

/** @throws Problem 404 */
function templateOf(id: string): Template {
  const template = templates.find((each) => each.id === id);
  if (!template) throw notFound('template', id);
  return template;
}

async function makeAll(
  template: Template,
  api: CallerApi,
  found: Found,
  caller: Principal,
): Promise<Application & { parts: TemplatePartView[] }> {
  const parts: TemplatePartView[] = [];
  const made: Application['made'] = [];
  const until = Date.now() + longestMs;
  let failed: Application['failed'] = null;
  for (const part of partsOf(template)) {
    const { kind, name } = part;
    const view: TemplatePartView = failed
      ? viewOfPart(part, 'missing', null)
      : await makePart(part, api, found, caller, until);
    parts.push(view);
    if (view.state === 'made' && view.id !== null) made.push({ kind, name, id: view.id });
    if (view.problem) failed = { kind, name, code: view.problem.code };
  }
  return { parts, made, failed };
}

async function makePart(
  part: Part,
  api: CallerApi,
  found: Found,
  caller: Principal,
  untilMs: number,
): Promise<TemplatePartView> {
  try {
    if (Date.now() > untilMs) {
      throw new Problem(503, 'too_slow', 'The services answer slowly: apply the template once more for the rest.');
    }
    const there = await lookAt(part, api, found);
    if (there.id !== null) return there;
    const id = await part.make(api, found, caller);
    found.set(part.key, id);
    return viewOfPart(part, 'made', id);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { code, detail } = error;
    return { ...viewOfPart(part, 'failed', null), problem: { code, detail } };
  }
}

async function lookAt(part: Part, api: CallerApi, found: Found): Promise<TemplatePartView> {
  const id = await part.look(api, found);
  if (id !== null) found.set(part.key, id);
  return viewOfPart(part, id === null ? 'missing' : 'there', id);
}

function viewOfPart(part: Part, state: TemplatePartView['state'], id: string | null): TemplatePartView {
  const { kind, name, does, tools } = part;
  return { kind, name, does, tools, state, id, problem: null };
}

async function viewOf(
  template: Template,
  api: CallerApi,
  parts: TemplatePartView[],
  found: Found,
): Promise<TemplateView> {
  const { id, name, description, samples } = template;
  const steps = await openSteps(template, api, found);
  return {
    id,
    name,
    description,
    complete: parts.every((part) => part.id !== null),
    parts,
    open_steps: steps.map(({ credential: _name, ...step }) => step),
    samples: samples.map((sample, at) => ({ number: at + 1, name: sample.name, shows: sample.shows })),
  };
}

const keyBytes = 4;

/** A sample as it is sent: no two are the same message. */
function filled({ body, headers = {} }: TemplateSample): { body: string; headers: Record<string, string> } {
  const [now, key] = [new Date().toISOString(), randomBytes(keyBytes).toString('hex')];
  const text = JSON.stringify({ body, headers }).replaceAll('{{now}}', now).replaceAll('{{key}}', key);
  const sent = JSON.parse(text) as { body: object; headers: Record<string, string> };
  return { body: JSON.stringify(sent.body), headers: sent.headers };
}
