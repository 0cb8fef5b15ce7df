"""Events as torch-tb-profiler reads them: streams, kinds, links, steps, its trees and figures."""
