// A finding as plain text, for a chat, an issue or a commit message.

import type { Comparison, Finding, SideFacts } from '../contract/wire';
import { formatTime } from '../ui/format';
import { metricWords, text, type MetricWords } from '../ui/strings';

/** Text of the finding's card, the rows of evidence, and the runs compared. */
export function findingText(finding: Finding, comparison: Comparison): string {
  const words = metricWords(comparison.headline.metric);
  const delta = finding.delta_us === null ? '' : ` ${formatTime(finding.delta_us, true)}`;
  const share = finding.share === null ? '' : ` (${text.findings.share(finding.share)})`;
  const rows = finding.evidence.map(({ table, row }) => {
    const title = table === 'ledger' ? text.tabs.attribution : (comparison.tables[table]?.title ?? table);
    return [title, row].filter(Boolean).join(': ');
  });
  return [
    `${finding.category}${delta}${share}: ${finding.subject}`,
    finding.sentence,
    finding.look_at ? text.findings.lookAt(finding.look_at) : '',
    finding.confidence,
    ...[...new Set(rows)].map((row) => `- ${row}`),
    `${text.letterA}: ${sideText(comparison.baseline, words)}`,
    `${text.letterB}: ${sideText(comparison.candidate, words)}`,
    '',
  ]
    .filter((line, index, lines) => line !== '' || index === lines.length - 1)
    .join('\n');
}

function sideText(side: SideFacts, words: MetricWords): string {
  const place = [side.worker, side.span && text.findings.span(side.span), text.picker.steps(side.steps.admitted, side.steps.count, words)];
  return `${side.run} (${place.filter(Boolean).join('; ')})`;
}
