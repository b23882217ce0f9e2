"""What the benchmarks share: counting instructions."""
import re
import subprocess
import sys


def stripped(program, path):
    """A copy without debug information, which Valgrind 3.19 does not understand; the names of functions stay."""
    subprocess.run(['strip', '--strip-debug', '-o', path, program], check=True)
    return path


def instructions(program, arguments, profile='/dev/null'):
    """How many instructions `program` ran, by callgrind."""
    command = ['valgrind', '--tool=callgrind', f'--callgrind-out-file={profile}', program, *arguments]
    result = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    found = re.search(r'Collected : (\d+)', result.stderr)
    if result.returncode or not found:
        sys.exit(f'{" ".join(command)} ended with {result.returncode}\n{result.stderr[-2000:]}')
    return int(found[1])
