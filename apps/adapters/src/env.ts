import { readCallSecrets } from '#libs/adapter-sdk';
import { settingOf, WrongSettings } from '#libs/settings';
import { DISCORD_API_URL } from './discord/discord-api.js';
import { GITHUB_API_URL } from './github/api/github-api.js';
import { GMAIL_API_URL } from './gmail/gmail-api.js';
import { GOOGLE_JWKS_URL } from './gmail/verify-push.js';
import { LINEAR_API_URL } from './linear/linear-api.js';
import { SENDGRID_API_URL } from './sendgrid/sendgrid-api.js';
import { SLACK_API_URL } from './slack/slack-api.js';
import { TEAMS_JWKS_URL, TEAMS_LOGIN_URL } from './teams/teams-api.js';
import { TELEGRAM_API_URL } from './telegram/telegram-api.js';
import { TWILIO_API_URL } from './twilio/twilio-api.js';
import { WHATSAPP_API_URL } from './whatsapp/whatsapp-api.js';

export interface AdaptersEnv {
  port: number;
  /** The port that Prometheus scrapes; 0: any free port. */
  operationsPort: number;
  host: string;
  /** Build identifier shown by `/health`. */
  version: string;
  /** Platform call secrets, newest first; empty means that calls are not verified. */
  callSecrets: string[];
  /** Hosts, addresses and CIDR blocks beyond the public internet that messages may be delivered to. */
  egressAllow: string[];
  bodyLimitBytes: number;
  genericTimeoutMs: number;
  /** For one call of a provider's API. */
  providerTimeoutMs: number;
  /** Sockets that this process holds at most for each provider that brings its events over one. */
  maxSockets: number;
  /** With its version. */
  discordApiUrl: string;
  githubApiUrl: string;
  gmailApiUrl: string;
  /** Key set of the tokens that Google signs. */
  googleJwksUrl: string;
  linearApiUrl: string;
  sendgridApiUrl: string;
  slackApiUrl: string;
  /** Issues the tokens of Teams' bots. */
  teamsLoginUrl: string;
  /** Key set of the tokens that Bot Framework signs. */
  teamsJwksUrl: string;
  telegramApiUrl: string;
  twilioApiUrl: string;
  /** With the version of the Graph API. */
  whatsappApiUrl: string;
  drainTimeoutMs: number;
  /** Where traces go; null: nowhere. */
  otlpEndpoint: string | null;
  tracesPercent: number;
  /** 0: metrics wait to be scraped. */
  metricsExportMs: number;
  logLevel: string;
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/** Reads and checks every setting once. Throws one Error with a line for each wrong variable, without its value. */
export function readEnv(source: Readonly<Record<string, string | undefined>> = process.env): AdaptersEnv {
  const problems: string[] = [];
  const whole = (name: string, fallback: number, min: number, max: number): number => {
    const text = source[name] ?? '';
    if (text === '') return fallback;
    const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    problems.push(`${name} must be a whole number from ${min} to ${max}`);
    return fallback;
  };
  const setting = (name: string): string => {
    try {
      return settingOf(name, source) ?? '';
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
      return '';
    }
  };
  const list = (name: string): string[] =>
    setting(name)
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '');

  /** A provider's API, or a server of one's own that speaks it. */
  const apiUrl = (name: string, fallback: string): string => {
    const text = (source[name] || fallback).replace(/\/+$/, '');
    const url = URL.parse(text);
    if (
      !url ||
      !['http:', 'https:'].includes(url.protocol) ||
      url.search !== '' ||
      url.hash !== '' ||
      url.username !== ''
    ) {
      problems.push(`${name} must be an http or https address without user, query and fragment`);
    }
    return text;
  };

  const env: AdaptersEnv = {
    port: whole('PORT', 8088, 0, 65_535),
    operationsPort: whole('OPERATIONS_PORT', 9090, 0, 65_535),
    host: source.HOST || '127.0.0.1',
    version: source.GATEHOUSE_BUILD || 'unknown',
    callSecrets: list('GATEHOUSE_ADAPTER_SECRET'),
    egressAllow: list('GATEHOUSE_EGRESS_ALLOW'),
    bodyLimitBytes: whole('GATEHOUSE_ADAPTER_BODY_LIMIT_BYTES', 40 * 1024 * 1024, 1024, 1024 ** 3),
    genericTimeoutMs: whole('GATEHOUSE_GENERIC_TIMEOUT_MS', 10_000, 1, 600_000),
    providerTimeoutMs: whole('GATEHOUSE_PROVIDER_TIMEOUT_MS', 10_000, 1, 600_000),
    maxSockets: whole('GATEHOUSE_ADAPTER_SOCKETS', 500, 1, 10_000),
    discordApiUrl: apiUrl('GATEHOUSE_DISCORD_API_URL', DISCORD_API_URL),
    githubApiUrl: apiUrl('GATEHOUSE_GITHUB_API_URL', GITHUB_API_URL),
    gmailApiUrl: apiUrl('GATEHOUSE_GMAIL_API_URL', GMAIL_API_URL),
    googleJwksUrl: apiUrl('GATEHOUSE_GOOGLE_JWKS_URL', GOOGLE_JWKS_URL),
    linearApiUrl: apiUrl('GATEHOUSE_LINEAR_API_URL', LINEAR_API_URL),
    sendgridApiUrl: apiUrl('GATEHOUSE_SENDGRID_API_URL', SENDGRID_API_URL),
    slackApiUrl: apiUrl('GATEHOUSE_SLACK_API_URL', SLACK_API_URL),
    teamsLoginUrl: apiUrl('GATEHOUSE_TEAMS_LOGIN_URL', TEAMS_LOGIN_URL),
    teamsJwksUrl: apiUrl('GATEHOUSE_TEAMS_JWKS_URL', TEAMS_JWKS_URL),
    telegramApiUrl: apiUrl('GATEHOUSE_TELEGRAM_API_URL', TELEGRAM_API_URL),
    twilioApiUrl: apiUrl('GATEHOUSE_TWILIO_API_URL', TWILIO_API_URL),
    whatsappApiUrl: apiUrl('GATEHOUSE_WHATSAPP_API_URL', WHATSAPP_API_URL),
    drainTimeoutMs: whole('GATEHOUSE_DRAIN_TIMEOUT_MS', 25_000, 1, 600_000),
    otlpEndpoint: source.OTEL_EXPORTER_OTLP_ENDPOINT ? apiUrl('OTEL_EXPORTER_OTLP_ENDPOINT', '') : null,
    tracesPercent: whole('TRACES_PERCENT', 100, 0, 100),
    metricsExportMs: whole('METRICS_EXPORT_MS', 0, 0, 3_600_000),
    logLevel: source.LOG_LEVEL || 'info',
  };
  if (!LOG_LEVELS.includes(env.logLevel)) problems.push(`LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}`);
  if (env.callSecrets.length > 2)
    problems.push('GATEHOUSE_ADAPTER_SECRET must hold one secret, or two during a rotation');
  try {
    readCallSecrets(env.callSecrets);
  } catch (error) {
    problems.push(`GATEHOUSE_ADAPTER_SECRET: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (problems.length > 0) throw new WrongSettings(problems);
  return env;
}
