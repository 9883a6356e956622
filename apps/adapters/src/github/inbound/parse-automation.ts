import type { JsonObject, NormalizedMessage } from '#libs/adapter-sdk';
import { objectOf, objectsOf, textOf } from '../../provider-calls/json-fields.js';
import { contentKey, describeEvent, type EventContext } from './describe-event.js';

/** A machine reports it: it is read, and there is nobody to answer. */
const NOTICE = { channel_address: null, notification: true };

interface Report {
  eventType: string;
  key: string | undefined;
  /** Missing lines are left out. */
  lines: (string | undefined)[];
  url?: string | undefined;
  details: JsonObject;
}

/** A run of a workflow that has ended. */
export function parseWorkflowRun(context: EventContext): NormalizedMessage | undefined {
  if (context.action !== 'completed') return undefined;
  const run = objectOf(context.payload.workflow_run);
  const [name, result, branch] = [run.name, run.conclusion, run.head_branch].map(textOf);
  const title = textOf(run.display_title) ?? firstLine(objectOf(run.head_commit).message);
  return reported(context, {
    eventType: 'workflow_run_completed',
    key: contentKey('workflow_run', run, textOf(run.run_attempt) ?? '1', 'completed'),
    lines: [`Workflow ${name ?? ''}: ${result ?? 'completed'}${branch === undefined ? '' : ` on ${branch}`}`, title],
    url: textOf(run.html_url),
    details: { ...given({ conclusion: result, branch, workflow: name, head: run.head_sha }), ...pullsOf(context, run) },
  });
}

/** A check that has ended. */
export function parseCheckRun(context: EventContext): NormalizedMessage | undefined {
  if (context.action !== 'completed') return undefined;
  const check = objectOf(context.payload.check_run);
  const { title, summary } = objectOf(check.output);
  const [name, result, app] = [textOf(check.name), textOf(check.conclusion), textOf(objectOf(check.app).name)];
  return reported(context, {
    eventType: 'check_run_completed',
    key: contentKey('check_run', check, 'completed', textOf(check.completed_at)),
    lines: [
      `Check ${name ?? ''}${app === undefined ? '' : ` of ${app}`}: ${result ?? 'completed'}`,
      textOf(title),
      textOf(summary),
    ],
    url: textOf(check.html_url) ?? textOf(check.details_url),
    details: { ...given({ conclusion: result, check: name, head: check.head_sha }), ...pullsOf(context, check) },
  });
}

export function parseRelease(context: EventContext): NormalizedMessage | undefined {
  if (context.action !== 'published') return undefined;
  const release = objectOf(context.payload.release);
  const [tag, name, body] = [textOf(release.tag_name) ?? '', textOf(release.name), textOf(release.body)];
  const kind = release.prerelease === true ? 'Pre-release' : 'Release';
  return reported(context, {
    eventType: 'release_published',
    key: contentKey('release', release, 'published'),
    lines: [`${kind} ${tag}${name === undefined || name === tag ? '' : `: ${name}`}`, body],
    url: textOf(release.html_url),
    details: { tag, prerelease: release.prerelease === true },
  });
}

export function parseDeploymentStatus(context: EventContext): NormalizedMessage | undefined {
  const { payload } = context;
  const [status, deployment] = [objectOf(payload.deployment_status), objectOf(payload.deployment)];
  const [state, where, what] = [status.state, status.environment ?? deployment.environment, deployment.ref].map(textOf);
  return reported(context, {
    eventType: 'deployment_status',
    key: contentKey('deployment_status', status),
    lines: [
      `Deployment of ${what ?? 'a commit'} to ${where ?? 'somewhere'}: ${state ?? 'unknown'}`,
      textOf(status.description),
    ],
    url: textOf(status.log_url) ?? textOf(status.target_url),
    details: given({ state, environment: where, ref: what, head: deployment.sha }),
  });
}

/** The repository has another name or owner: its issues have other addresses from now on. */
export function parseRepository(context: EventContext): NormalizedMessage | undefined {
  const { payload, action } = context;
  if (action !== 'renamed') return undefined;
  const repository = objectOf(payload.repository);
  const [before, now] = [
    textOf(objectOf(objectOf(objectOf(objectOf(payload.changes).repository).name)).from),
    textOf(repository.full_name),
  ];
  return reported(context, {
    eventType: 'repository_renamed',
    key: contentKey('repository', repository, 'renamed', now),
    lines: [`The repository ${before ?? ''} is ${now ?? ''} now`],
    url: textOf(repository.html_url),
    details: given({ renamed_from: before }),
  });
}

export function reported(context: EventContext, { eventType, key, lines, url, details }: Report): NormalizedMessage {
  const described = describeEvent(context, {});
  const shown = [...lines, url].filter((line) => line !== undefined && line !== '');
  return {
    ...described,
    event_type: eventType,
    message: shown.join('\n'),
    ...(key !== undefined && { dedup_key: key }),
    metadata: { ...described.metadata, ...NOTICE, ...(url !== undefined && { url }), ...details },
  };
}

/** Those that are there. */
export function given(fields: Record<string, unknown>): Record<string, string> {
  const texts = Object.entries(fields).map(([name, value]) => [name, textOf(value)] as const);
  return Object.fromEntries(texts.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function pullsOf({ payload }: EventContext, { pull_requests }: JsonObject): JsonObject {
  const repository = textOf(objectOf(payload.repository).full_name) ?? '';
  const pulls = objectsOf(pull_requests).map(({ number }) => `${repository}#${textOf(number) ?? ''}`);
  return pulls.length === 0 ? {} : { pull_requests: pulls };
}

function firstLine(text: unknown): string | undefined {
  return textOf(text)?.split('\n', 1)[0];
}
