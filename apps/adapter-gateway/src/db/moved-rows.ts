import { type MovedRows, ofProject, through } from '#libs/project-rows';
import { isWorkedOnSql } from '#libs/work';

const ofApp = (name: string) => through(name, 'app_id', 'gateway.app');
const working = (what: string, table: string, running?: string) => ({
  what,
  count: `SELECT count(*) FROM ${table} t WHERE t.project_id = $1 AND ${isWorkedOnSql('t', running)}`,
});

/** What the gateway has of a project. */
export const movedRows: MovedRows = {
  schema: 'gateway',
  moved: [
    ofProject('gateway.adapter'),
    ofProject('gateway.manifest_version'),
    through('gateway.adapter_health', 'adapter_id', 'gateway.adapter'),
    ofProject('gateway.conformance_run'),
    ofProject('gateway.skill_removal'),
    ofProject('gateway.app'),
    ofProject('gateway.webhook_renewal'),
    { name: 'gateway.inbound_wait', of: "t.job ->> 'project_id' = $1 AND t.job ->> 'organization_id' = $2" },
    ofProject('gateway.delivery'),
    through('gateway.delivery_part', 'delivery_id', 'gateway.delivery'),
    through('gateway.delivery_attachment', 'delivery_id', 'gateway.delivery'),
    ofApp('gateway.address_pace'),
    ofProject('gateway.source'),
    ofProject('gateway.sync_run'),
    through('gateway.source_change', 'source_id', 'gateway.source'),
    ofProject('gateway.source_document'),
    ofProject('gateway.project_limit'),
    ofProject('gateway.audit', { may: 'add' }),
    ofApp('gateway.offered_choice'),
    ofProject('gateway.missed_ask'),
    ofProject('gateway.held_connection'),
    ofProject('gateway.web_chat_conversation'),
    ofApp('gateway.web_chat_message'),
    ofApp('gateway.web_chat_file'),
    ofProject('gateway.web_chat_mail_setting'),
    ofApp('gateway.web_chat_address'),
    ofApp('gateway.web_chat_recipient'),
    ofProject('gateway.web_chat_mail'),
  ],
  stays: {
    'gateway.parsed_messages':
      'messages on their way to the router, for a day: what has not ended is parsed anew there',
  },
  waiting: `SELECT t.id FROM gateway.delivery t WHERE t.project_id = $1 AND t.ended_at IS NULL AND NOT ${isWorkedOnSql('t', 'sending')}`,
  open: [
    working('deliveries that are being sent', 'gateway.delivery', 'sending'),
    working('synchronisations that run', 'gateway.sync_run'),
    working('connections to providers', 'gateway.held_connection'),
    working('questions for missed webhooks', 'gateway.missed_ask'),
    working('mails to visitors of web chats', 'gateway.web_chat_mail'),
    {
      what: 'requests that their adapter reads',
      count: `SELECT count(*) FROM gateway.inbound_wait t WHERE t.job ->> 'project_id' = $1 AND ${isWorkedOnSql('t')}`,
    },
  ],
};
