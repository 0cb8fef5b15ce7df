// User-visible text of the strict report; outside ui/strings.ts, so that it loads with the report.

export const words = {
  about: 'The published method and wording, unchanged.',
  corrected: 'The corrected comparison of the same pair is in the other views:',
  summary: 'Summary',
  processes: 'Processes',
  beta: 'Share (β) of',
  betas: { total: 'total', exclusive: 'exclusive' } as Record<string, string>,
  betaAbout: {
    total: 'Summed durations, as published: nested calls count twice, so shares may exceed 100 %',
    exclusive: 'Exposed time: every instant counts once, and the shares add up to the step',
  } as Record<string, string>,
  downloads: 'Download',
  markdown: 'Markdown',
  csv: 'CSV',
  markdownAbout: 'The report as published, as Markdown',
  csvAbout: 'All triplets, the published columns, as CSV',
  weaknesses: (n: number) => (n === 1 ? 'One known weakness of this method applies to this pair' : `${n} known weaknesses of this method apply to this pair`),
  noWeaknesses: 'No known weakness of this method applies to this pair.',
  weaknessAbout: (n: number) => `Weakness ${n} in docs/method/strict.md`,
  overview: 'Overview',
  findings: 'Key findings',
  device: (name: string) => `on ${name}`,
  counters: 'Counters that moved with it',
  units: 'Units of μ',
  groups: { key: 'Triplet', published: 'Published report', beside: 'Added here: not in the published report' },
  waiting: 'Running the strict comparison…',
};
