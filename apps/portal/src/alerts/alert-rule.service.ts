import { type FieldError, notFound, type Principal, Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { GATEWAY } from '../services.js';
import type { ChangeAlertRule, CreateAlertRule, GivenReceiver } from './alert-rule.dto.js';
import type { AlertRule, QuietHours, Receiver } from './alert-rule.entity.js';
import { AlertRuleRepository, type RuleFields } from './alert-rule.repository.js';
import { AlertSender } from './alert-sender.js';
import type { Alert } from './alert.entity.js';
import { AlertRepository } from './alert.repository.js';
import { isTimeZone } from './quiet-hours.js';

/** Of a project: each is looked at every few seconds. */
const mostRules = 50;
const hourMs = 3_600_000;

@Injectable()
export class AlertRuleService {
  constructor(
    private readonly rules: AlertRuleRepository,
    private readonly alerts: AlertRepository,
    private readonly sender: AlertSender,
    @Inject(GATEWAY) private readonly gateway: Pick<ServiceClient, 'post'>,
  ) {}

  /** @throws Problem 404 `alert_rule_not_found` */
  async get(caller: Principal, id: string): Promise<AlertRule> {
    const rule = await this.rules.find(caller, id);
    if (!rule) throw notFound('alert_rule', id);
    return rule;
  }

  /** @throws Problem 409 `too_many_alert_rules`, and as `check` and `receiversOf` */
  async create(caller: Principal, given: CreateAlertRule): Promise<AlertRule> {
    if ((await this.rules.count(caller)) >= mostRules) {
      throw new Problem(409, 'too_many_alert_rules', `A project has at most ${mostRules} alert rules: delete one.`);
    }
    const rate = given.rate ?? null;
    const fields: RuleFields = {
      name: given.name,
      enabled: given.enabled ?? true,
      codes: given.codes === undefined && rate === null ? [] : (given.codes ?? null),
      rate,
      receivers: [],
      quiet: given.quiet ?? null,
      after_minutes: given.after_minutes ?? 1,
      still_minutes: given.still_minutes ?? 240,
      muted_until: null,
    };
    check(fields);
    return this.rules.create(caller, { ...fields, receivers: await this.receiversOf(caller, given.receivers) });
  }

  /** @throws Problem as `get`, `check` and `receiversOf` */
  async change(caller: Principal, id: string, { receivers, ...rest }: ChangeAlertRule): Promise<AlertRule> {
    const rule = await this.get(caller, id);
    const given: Partial<RuleFields> = Object.fromEntries(
      Object.entries(rest).filter(([, value]) => value !== undefined),
    );
    check({ ...rule, ...given });
    const fields = { ...given, ...(receivers ? { receivers: await this.receiversOf(caller, receivers) } : {}) };
    return this.changed(caller, id, fields);
  }

  /** @param hours 0 ends it */
  mute(caller: Principal, id: string, hours: number): Promise<AlertRule> {
    return this.changed(caller, id, { muted_until: hours === 0 ? null : new Date(Date.now() + hours * hourMs) });
  }

  /** @throws Problem 404 `alert_rule_not_found` */
  async delete(caller: Principal, id: string): Promise<void> {
    if (!(await this.rules.delete(caller, id))) throw notFound('alert_rule', id);
  }

  /** Sends a real alert to every receiver, whatever is muted or quiet. @throws Problem as `get` */
  async test(caller: Principal, id: string): Promise<Alert[]> {
    const rule = await this.get(caller, id);
    const text = `this is how the rule “${rule.name}” calls you. Nothing is wrong.`;
    const about = { cause: 'test', code: 'test', severity: 'warning', text, what_to_do: '', announced: 0 } as const;
    const draft = {
      rule,
      kind: 'test',
      about: { ...about, opened_at: new Date() },
      receivers: rule.receivers,
    } as const;
    const made = await this.alerts.test(draft);
    this.sender.soon();
    return made;
  }

  private async changed(caller: Principal, id: string, fields: Partial<RuleFields>): Promise<AlertRule> {
    const rule = await this.rules.change(caller, id, fields);
    if (!rule) throw notFound('alert_rule', id);
    return rule;
  }

  /** @throws Problem 422 `invalid_fields`, with what the gateway says of an App and its address */
  private async receiversOf(caller: Principal, given: GivenReceiver[]): Promise<Receiver[]> {
    if (given.length === 0) throw invalid([{ field: 'receivers', message: 'needs at least one' }]);
    const checked = await Promise.all(given.map((one, index) => this.receiverOf(caller, one, index)));
    const errors = checked.filter((one): one is FieldError => 'field' in one);
    if (errors.length > 0) throw invalid(errors);
    return checked.filter((one): one is Receiver => 'kind' in one);
  }

  private async receiverOf(caller: Principal, given: GivenReceiver, index: number): Promise<Receiver | FieldError> {
    const { app_id, address } = given;
    try {
      const path = `/internal/apps/${encodeURIComponent(app_id)}/address-checks`;
      const { kind, signs } = await this.gateway.post<Pick<Receiver, 'kind'> & { signs: boolean }>(path, caller, {
        address,
      });
      if (kind === 'adapter' || signs) return { app_id, address, kind };
      const message =
        'The Webhook app has no signing secret, so its receiver could not tell who calls: link a credential.';
      return { field: `receivers.${index}.app_id`, message };
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      const field = error.code === 'invalid_reply_address' ? 'address' : 'app_id';
      return { field: `receivers.${index}.${field}`, message: error.detail };
    }
  }
}

/** @throws Problem 422 `invalid_fields` */
function check({ codes, rate, quiet }: Pick<RuleFields, 'codes' | 'rate' | 'quiet'>): void {
  const errors = quiet === null ? [] : ofQuiet(quiet);
  if ((codes === null) === (rate === null)) errors.push({ field: 'codes', message: 'give either codes or a rate' });
  if (errors.length > 0) throw invalid(errors);
}

function ofQuiet({ from, to, time_zone: zone }: QuietHours): FieldError[] {
  const isClock = (text: string): boolean => /^([01]\d|2[0-3]):[0-5]\d$/.test(text);
  return [
    ...(isClock(from) ? [] : [{ field: 'quiet.from', message: 'must be HH:MM' }]),
    ...(isClock(to) && to !== from ? [] : [{ field: 'quiet.to', message: 'must be HH:MM, and another than from' }]),
    ...(isTimeZone(zone) ? [] : [{ field: 'quiet.time_zone', message: 'must be a name such as Europe/Berlin' }]),
  ];
}

const invalid = (errors: FieldError[]): Problem =>
  new Problem(422, 'invalid_fields', 'Some fields are not valid.', errors);
