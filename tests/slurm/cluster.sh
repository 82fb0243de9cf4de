#!/usr/bin/env bash
# A SLURM of one machine for tests, on Debian and as root: cluster.sh start | stop.
# It has no accounting database, no control groups and two pretend GPUs, and listens on the loopback address only.
# Snakemake's plug-in passes no SLURM_CONF on, so the files lie where SLURM looks by default.
set -euo pipefail
conf=/etc/slurm/slurm.conf
own="ClusterName=clinbenchtest"

daemon_stop() { # by its pid file, and only if that is the pid of this daemon
  local name=$1 file=$2 pid
  pid=$(cat "$file" 2> /dev/null) || return 0
  [ "$(cat "/proc/$pid/comm" 2> /dev/null)" = "$name" ] || return 0
  kill "$pid"
  for _ in $(seq 40); do
    [ -d "/proc/$pid" ] || return 0
    sleep 0.25
  done
  kill -9 "$pid"
}

stop() {
  grep -qx "$own" "$conf" 2> /dev/null || return 0
  timeout 10 scancel --user=root 2> /dev/null || true
  daemon_stop slurmd /run/clinbenchtest-slurmd.pid
  daemon_stop slurmctld /run/clinbenchtest-slurmctld.pid
  [ ! -e /run/clinbenchtest-munged ] || daemon_stop munged /run/munge/munged.pid
  rm -rf "$conf" /etc/slurm/gres.conf /etc/slurm/cgroup.conf /run/clinbenchtest-munged \
    /var/spool/clinbenchtest-slurmctld /var/spool/clinbenchtest-slurmd
}

install_packages() {
  command -v sbatch slurmctld slurmd munged > /dev/null && return 0
  apt-get update -qq &&
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends slurm-wlm munge || exit 77
}

configure() {
  local host=$1
  install -d -o slurm -g slurm /var/spool/clinbenchtest-slurmctld
  install -d /var/spool/clinbenchtest-slurmd /etc/slurm
  install -d -o munge -g munge /run/munge
  # config_overrides: the node has the CPUs and memory written here, so that every job of the suite fits on it.
  cat > "$conf" << CONF
$own
SlurmctldHost=$host(127.0.0.1)
SlurmUser=slurm
AuthType=auth/munge
StateSaveLocation=/var/spool/clinbenchtest-slurmctld
SlurmdSpoolDir=/var/spool/clinbenchtest-slurmd
SlurmctldPidFile=/run/clinbenchtest-slurmctld.pid
SlurmdPidFile=/run/clinbenchtest-slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=batch_sched_delay=0,sched_interval=2,bf_interval=2
SlurmdParameters=config_overrides
ReturnToService=2
MinJobAge=3600
KillWait=5
PropagatePrioProcess=1
GresTypes=gpu
NodeName=$host NodeAddr=127.0.0.1 CPUs=8 RealMemory=64000 Gres=gpu:2 State=UNKNOWN
PartitionName=ci Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
  # SLURM counts a GPU when its device file exists, whatever the device is.
  printf 'NodeName=%s Name=gpu File=%s\n' "$host" /dev/zero "$host" /dev/full > /etc/slurm/gres.conf
  if [ "$(slurmd -V | grep -o '[0-9]*' | head -1)" -ge 23 ]; then
    echo "CgroupPlugin=disabled" > /etc/slurm/cgroup.conf
  else
    echo "CgroupAutomount=no" > /etc/slurm/cgroup.conf
  fi
}

start() {
  if [ -e "$conf" ] && ! grep -qx "$own" "$conf"; then
    echo "$conf is not of these tests: this machine belongs to a cluster, which they must not touch" >&2
    exit 1
  fi
  install_packages
  stop
  configure "$(hostname -s)"
  if ! pgrep -x munged > /dev/null; then
    runuser -u munge -- munged
    touch /run/clinbenchtest-munged
  fi
  slurmctld -c
  slurmd -c
  for _ in $(seq 60); do
    [ "$(sinfo -h -o %t 2> /dev/null)" = idle ] && exit 0
    sleep 0.5
  done
  sinfo -R >&2
  exit 1
}

"$1"
