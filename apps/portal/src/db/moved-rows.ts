import { type MovedRows, ofProject, through } from '#libs/project-rows';
import { isWorkedOnSql } from '#libs/work';

/** What the portal has of a project. */
export const movedRows: MovedRows = {
  schema: 'portal',
  moved: [
    { name: 'portal.project', of: 't.id = $1' },
    ofProject('portal.api_key'),
    ofProject('portal.audit', { may: 'add' }),
    ofProject('portal.attention_mute'),
    ofProject('portal.alert_rule'),
    through('portal.alert_cause', 'rule_id', 'portal.alert_rule'),
    ofProject('portal.alert_watch'),
    ofProject('portal.alert'),
    ofProject('portal.saved_view'),
  ],
  stays: {
    'portal.organization': 'made there if it is not, with the same id and name',
    'portal.user_account': 'people sign in at each installation',
    'portal.member': 'members of the organization: invite them there',
    'portal.user_identity': 'what an identity provider says of people',
    'portal.sign_in_link': 'links that sign people in here',
    'portal.member_session': 'browsers that are signed in here',
    'portal.recent_write': 'who has just changed something here',
  },
  open: [
    {
      what: 'alerts that are being sent',
      count: `SELECT count(*) FROM portal.alert t WHERE t.project_id = $1 AND ${isWorkedOnSql('t')}`,
    },
  ],
};
