import { type Endpoint, scopeOf } from '#libs/contracts';
import { isShallow, Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { type IngressSettings, ROUTER, SETTINGS } from '../../env.js';
import { Refused } from '../request/incoming.js';

const knownForMs = 5_000;
/** While the router does not answer, it is asked about a workflow this often, and not for each message. */
const unansweredForMs = 500;
/** Workflows are numbered from 1, in four bytes. */
const maxWorkflowId = 2_147_483_647;
/** JSON whose sender forgot its type, as with `curl -d`, is no form. */
const [brace, bracket] = [0x7b, 0x5b];
const formType = /^(?:application\/x-www-form-urlencoded\s*(?:;|$)|multipart\/form-data\s*;.*\bboundary=)/i;
/** WHATWG MIME Sniffing, "JSON MIME type". */
const jsonType = /^(?:(?:application|text)\/json|[\w.+-]+\/[\w.+-]+\+json)\s*(?:;|$)/i;

/** The checks of the built-in Webhook app (spec 2.8): JSON of bounded depth, with an existing `workflow_id` or none. */
@Injectable()
export class BuiltinPayload {
  private readonly known = new Map<string, number>();

  constructor(
    @Inject(ROUTER) private readonly router: ServiceClient,
    @Inject(SETTINGS) private readonly settings: Pick<IngressSettings, 'MESSAGE_MAX_DEPTH'>,
  ) {}

  /**
   * @returns the payload's `workflow_id`, null when it has none
   * @throws Refused 415, 400 `invalid_json`, 422 `too_deep`, 422 `invalid_workflow_id`
   */
  workflowIdIn(contentType: string | undefined, body: Buffer): number | null {
    // The fields of a form are texts, and a notification without a body has none.
    const isForm = formType.test(contentType ?? '') && body[0] !== brace && body[0] !== bracket;
    if (isForm || (contentType === undefined && body.length === 0)) return null;
    if (!jsonType.test(contentType ?? '')) {
      const form =
        'Or a form, as application/x-www-form-urlencoded or multipart/form-data. Its own adapter reads a provider that sends JSON as text, such as Amazon SNS.';
      throw new Refused(415, 'unsupported_media_type', `Send JSON with Content-Type: application/json. ${form}`);
    }
    const payload = parse(body);
    const { MESSAGE_MAX_DEPTH: maxDepth } = this.settings;
    if (!isShallow(payload, maxDepth)) {
      throw new Refused(
        422,
        'too_deep',
        `The body is nested over ${maxDepth} levels deep: send it flatter, or as text.`,
      );
    }
    return workflowIdOf(payload);
  }

  /**
   * Takes the message where the router is unavailable: if the workflow does not exist, the timeline says so later.
   * @throws Refused 404 `workflow_not_found`
   */
  async requireWorkflow(endpoint: Endpoint, id: number): Promise<void> {
    const key = `${endpoint.project_id} ${id}`;
    if ((this.known.get(key) ?? 0) > Date.now()) return;
    const known = await this.router.get(`/internal/workflows/${id}`, scopeOf(endpoint)).then(
      () => true,
      (error: unknown) => {
        if (!(error instanceof Problem) || error.status !== 404) return false;
        throw new Refused(404, 'workflow_not_found', `There is no workflow ${id} in this project.`);
      },
    );
    if (this.known.size > 10_000) this.known.clear();
    this.known.set(key, Date.now() + (known ? knownForMs : unansweredForMs));
  }
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(strictUtf8.decode(body));
  } catch {
    throw new Refused(400, 'invalid_json', 'The body is not valid JSON in UTF-8.');
  }
}

function workflowIdOf(payload: unknown): number | null {
  if (typeof payload !== 'object' || payload === null || !('workflow_id' in payload)) return null;
  const id = payload.workflow_id;
  if (id === null || id === undefined) return null;
  if (typeof id !== 'number' || (!Number.isInteger(id) && Number.isFinite(id))) {
    throw invalidWorkflowId(`workflow_id must be an integer, not ${typeof id === 'number' ? id : kindOf(id)}.`);
  }
  if (id > maxWorkflowId) throw invalidWorkflowId(`workflow_id is too large: the maximum is ${maxWorkflowId}.`);
  if (id < 1) throw invalidWorkflowId('workflow_id is too small: workflows are numbered from 1.');
  return id;
}

function invalidWorkflowId(detail: string): Refused {
  return new Refused(422, 'invalid_workflow_id', detail);
}

function kindOf(value: unknown): string {
  if (typeof value === 'string') return 'text';
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : JSON.stringify(value);
}
