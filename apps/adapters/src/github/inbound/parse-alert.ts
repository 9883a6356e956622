import type { JsonObject, NormalizedMessage } from '#libs/adapter-sdk';
import { objectOf, textOf } from '../../provider-calls/json-fields.js';
import { contentKey, type EventContext } from './describe-event.js';
import { given, reported } from './parse-automation.js';

/** An older kind of event has its actions in another form. */
const ACTIONS: Record<string, string> = { create: 'created', dismiss: 'dismissed', resolve: 'resolved' };

interface Alert {
  kind: string;
  what: string | undefined;
  severity?: string | undefined;
  where?: string | undefined;
}

/** An alert of security: of a dependency, of the code, or of a secret in it. The secret itself is never passed on. */
export function parseAlert(context: EventContext): NormalizedMessage | undefined {
  const { payload, action, rawType } = context;
  const alert = objectOf(payload.alert);
  const event = rawType.split('.', 1)[0] ?? '';
  const { kind, what, severity, where } = alertOf(event, alert);
  const [number, repository] = [textOf(alert.number) ?? textOf(alert.id), objectOf(payload.repository)];
  const done = ACTIONS[action] ?? action;
  const at =
    textOf(alert.updated_at) ?? textOf(alert.fixed_at) ?? textOf(alert.dismissed_at) ?? textOf(alert.created_at);
  const level = severity === undefined ? '' : ` (${severity})`;
  return reported(context, {
    eventType: `alert_${done}`,
    key: contentKey(event, repository, number, done, at),
    lines: [`${kind} ${done.replaceAll('_', ' ')}${level}: ${what ?? 'unknown'}`, where],
    url: textOf(alert.html_url),
    details: { alert: given({ kind: event, number, severity, state: alert.state }) },
  });
}

function alertOf(event: string, alert: JsonObject): Alert {
  if (event === 'code_scanning_alert') {
    const rule = objectOf(alert.rule);
    const { path, start_line: line } = objectOf(objectOf(alert.most_recent_instance).location);
    const place = [textOf(path), textOf(line)].filter((part) => part !== undefined).join(':');
    const severity = textOf(rule.security_severity_level) ?? textOf(rule.severity);
    const where = place === '' ? undefined : place;
    return { kind: 'Code scanning alert', what: textOf(rule.description) ?? textOf(rule.id), severity, where };
  }
  if (event === 'secret_scanning_alert') {
    const what = textOf(alert.secret_type_display_name) ?? textOf(alert.secret_type);
    return { kind: 'Secret scanning alert', what };
  }
  const { summary, severity } = objectOf(alert.security_advisory);
  const dependency = objectOf(alert.dependency);
  const name = textOf(objectOf(dependency.package).name) ?? textOf(alert.affected_package_name);
  return {
    kind: 'Dependency alert',
    what: [name, textOf(summary)].filter((part) => part !== undefined).join(': '),
    severity: textOf(severity) ?? textOf(alert.severity),
    where: textOf(dependency.manifest_path),
  };
}
