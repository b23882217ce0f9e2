import CageTrials
import Glibc

exit(unsafe cagetrials_run(CommandLine.argc, CommandLine.unsafeArgv))
