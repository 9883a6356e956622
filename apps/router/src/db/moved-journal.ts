import { type MovedRows, ofProject, through } from '#libs/project-rows';

/** What the journal has of a project. The router reads and writes all of it, but deletes nothing. */
export const movedJournal: MovedRows = {
  schema: 'journal',
  moved: [
    ofProject('journal.entry', { pagedBy: 'receipt_id', may: 'add', words: ['detail'], grows: true }),
    ofProject('journal.dead_letter', { may: 'change', words: ['error', 'redrive_error'] }),
    ofProject('journal.batch', { may: 'add' }),
    through('journal.batch_item', 'batch_id', 'journal.batch', 'id', { may: 'change' }),
    ofProject('journal.statistic', { ages: true, grows: true }),
  ],
  stays: {
    'journal.statistic_mark': 'how far this installation has counted',
    'journal.process': 'which processes of this installation run',
    'journal.project_hold': 'what keeps a project still here while it moves',
    'journal.project_peer': 'who may hand on webhooks of a project that came: the next installation gets the key anew',
  },
  forget: 'SELECT journal.forget_left($1, $2, $3) AS gone',
  open: [
    {
      what: 'dead letters that are redriven',
      count: `SELECT count(*) FROM journal.dead_letter t WHERE t.project_id = $1 AND t.state = 'redriving'`,
    },
    {
      what: 'items of replays and redrives',
      count: `SELECT count(*) FROM journal.batch_item i JOIN journal.batch b ON b.id = i.batch_id
        WHERE b.project_id = $1 AND i.state IN ('waiting', 'running')`,
    },
  ],
};
