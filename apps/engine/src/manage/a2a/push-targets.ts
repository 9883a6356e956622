import type { TaskPushNotificationConfig } from '@a2a-js/sdk';
import { RequestMalformedError } from '@a2a-js/sdk/errors';
import type { TaskPush } from '../../entities/agent-task.entity.js';
import type { PushSecrets } from './push-secrets.js';

const visible = /^[\x20-\x7e]{1,4096}$/;
const schemeName = /^[A-Za-z][A-Za-z0-9-]{0,30}$/;
const namePattern = /^[\x21-\x7e]{1,200}$/;

/** Where a caller wants to hear of a task. @throws A2AError for what cannot be sent there */
export function readTarget({ id, url, token, authentication }: TaskPushNotificationConfig, defaultName: string) {
  const name = id === '' ? defaultName : id;
  if (!namePattern.test(name)) throw new RequestMalformedError('id of the configuration: visible ASCII, at most 200.');
  const address = URL.canParse(url) ? new URL(url) : null;
  const reachable = address && ['https:', 'http:'].includes(address.protocol) && address.username === '';
  if (!reachable || url.length > 2_000) {
    throw new RequestMalformedError('url has to be an https or http address without a user, at most 2000 characters.');
  }
  const secrets: PushSecrets = {};
  if (token !== '') secrets.token = requireVisible('token', token);
  if (authentication && authentication.scheme !== '') {
    if (!schemeName.test(authentication.scheme)) {
      throw new RequestMalformedError('authentication.scheme is the name of one HTTP scheme, as Bearer.');
    }
    secrets.scheme = authentication.scheme;
    if (authentication.credentials !== '') {
      secrets.credentials = requireVisible('authentication.credentials', authentication.credentials);
    }
  }
  return { name, url, secrets };
}

function requireVisible(field: string, value: string): string {
  if (!visible.test(value)) throw new RequestMalformedError(`${field}: visible ASCII, at most 4096 characters.`);
  return value;
}

/** A configuration as its caller sees it. Secrets are shown to nobody. */
export function targetView({ task_id, name, url }: Pick<TaskPush, 'task_id' | 'name' | 'url'>) {
  return { tenant: '', id: name, taskId: task_id, url, token: '', authentication: undefined };
}
