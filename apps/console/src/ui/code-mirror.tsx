import { autocompletion, closeBrackets } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { python } from '@codemirror/lang-python';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, linter, lintGutter, setDiagnostics } from '@codemirror/lint';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import { EditorView, highlightActiveLine, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { type ReactNode, useEffect, useEffectEvent, useRef } from 'react';
import { cspNonce } from '../csp-nonce.js';
import classes from './code-mirror.module.css';
import { cel, celCompletions } from './cel-language.js';

/** A problem at a line, counted from 1; or at a part of it, in characters of the whole text from 0. */
export interface LineProblem {
  line: number;
  span?: readonly [start: number, end: number];
  message: string;
  severity?: 'error' | 'warning';
}

export interface CodeEditorProps {
  label: string;
  value: string;
  onChange?: (value: string) => void;
  language: 'json' | 'python' | 'markdown' | 'cel' | 'text';
  problems?: readonly LineProblem[];
  readOnly?: boolean;
  height?: number;
}

const languages: Readonly<Record<CodeEditorProps['language'], () => Extension>> = {
  json: () => [json(), autocompletion(), linter(jsonParseLinter())],
  python: () => [python(), autocompletion()],
  cel: () => [cel, celCompletions, EditorView.lineWrapping],
  markdown: () => EditorView.lineWrapping,
  text: () => [],
};

/** What turns text around or shows nothing, beside those that CodeMirror marks: a reader of code has to see all of it. */
const unseen = /[\u180e\u202a-\u202c\u2060-\u2065\u2068\u115f\u1160\u3164\uffa0]/g;

/** CodeMirror as a controlled field. Tab leaves it, so that keyboard users are not trapped. */
export default function CodeMirror(props: CodeEditorProps): ReactNode {
  const { label, value, onChange, language, problems = [], readOnly = false, height = 240 } = props;
  const holder = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const writable = useRef(new Compartment());
  const report = useEffectEvent((text: string) => onChange?.(text));

  useEffect(() => {
    if (!holder.current) return;
    const editor = new EditorView({
      parent: holder.current,
      state: EditorState.create({
        doc: value,
        extensions: [
          lineNumbers(),
          highlightSpecialChars({ addSpecialChars: unseen }),
          history(),
          indentOnInput(),
          bracketMatching(),
          closeBrackets(),
          highlightActiveLine(),
          lintGutter(),
          highlighting,
          keymap.of([...defaultKeymap, ...historyKeymap]),
          languages[language](),
          writable.current.of(EditorState.readOnly.of(readOnly)),
          EditorView.cspNonce.of(cspNonce ?? ''),
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) report(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, [language, label]);

  useEffect(() => {
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);
  useEffect(() => {
    view.current?.dispatch({ effects: writable.current.reconfigure(EditorState.readOnly.of(readOnly)) });
  }, [readOnly]);
  useEffect(() => {
    const editor = view.current;
    if (editor)
      editor.dispatch(
        setDiagnostics(
          editor.state,
          problems.map((problem) => atLine(editor.state, problem)),
        ),
      );
  }, [problems]);
  return <div ref={holder} className={classes.editor} style={{ '--gh-editor-height': `${height}px` }} />;
}

function atLine(state: EditorState, { line, span, message, severity = 'error' }: LineProblem): Diagnostic {
  if (span) {
    const [from, to] = span;
    const end = state.doc.length;
    return { from: Math.min(from, end), to: Math.min(to, end), message, severity };
  }
  const { from, to } = state.doc.line(Math.min(Math.max(line, 1), state.doc.lines));
  return { from, to, message, severity };
}

/** Colours for light and dark. */
const style = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword], color: 'light-dark(#4553c7, #9aa6f3)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'light-dark(#0b6b4b, #6fcf9f)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'light-dark(#9a4a00, #f0b072)' },
  { tag: [tags.propertyName, tags.definition(tags.variableName)], color: 'light-dark(#7a2e8e, #d9a6e8)' },
  { tag: tags.comment, color: 'var(--mantine-color-dimmed)', fontStyle: 'italic' },
]);

const highlighting = syntaxHighlighting(style);
