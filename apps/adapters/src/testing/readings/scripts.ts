/** Words of one script, and its punctuation. */
export interface Script {
  name: string;
  /** What stands between words. */
  gap: string;
  one: string;
  two: string;
  three: string;
  colon: string;
  stop: string;
  quotes: [string, string];
}

export const scripts: Script[] = [
  { name: 'Latin', gap: ' ', one: 'Größe', two: 'naïve', three: 'façade', colon: ':', stop: '.', quotes: ['„', '“'] },
  {
    name: 'Cyrillic',
    gap: ' ',
    one: 'Важно',
    two: 'ответ',
    three: 'готово',
    colon: ':',
    stop: '.',
    quotes: ['«', '»'],
  },
  { name: 'Greek', gap: ' ', one: 'Σημείωση', two: 'λόγος', three: 'τέλος', colon: ':', stop: '·', quotes: ['«', '»'] },
  { name: 'Arabic', gap: ' ', one: 'مهم', two: 'الرسالة', three: 'انتهى', colon: ':', stop: '؟', quotes: ['«', '»'] },
  { name: 'Hebrew', gap: ' ', one: 'חשוב', two: 'הודעה', three: 'בית־ספר', colon: ':', stop: '.', quotes: ['״', '״'] },
  { name: 'Devanagari', gap: ' ', one: 'ज़रूरी', two: 'संदेश', three: 'समाप्त', colon: ':', stop: '।', quotes: ['“', '”'] },
  { name: 'Thai', gap: '', one: 'สำคัญ', two: 'ข้อความ', three: 'เสร็จ', colon: ':', stop: 'ฯ', quotes: ['“', '”'] },
  { name: 'Chinese', gap: '', one: '重要', two: '消息', three: '完成', colon: '：', stop: '。', quotes: ['「', '」'] },
  {
    name: 'Japanese',
    gap: '',
    one: '注意',
    two: 'メッセージ',
    three: '終わり',
    colon: '：',
    stop: '。',
    quotes: ['『', '』'],
  },
  { name: 'Korean', gap: '', one: '중요', two: '메시지', three: '완료', colon: ':', stop: '.', quotes: ['“', '”'] },
];
